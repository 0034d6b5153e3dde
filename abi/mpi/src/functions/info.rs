//! Info objects: chapter 10.

/// Rows of the chapter. See [`crate::functions`].
#[macro_export]
macro_rules! info {
    ($door:ident) => {
        $crate::export! { $door INFO
            1 "2.0" MPI_Info_create PMPI_Info_create (info: Out<InfoHandle>) = info::calls::create;
            2 "2.0" MPI_Info_delete PMPI_Info_delete (info: InfoHandle, key: InText) = info::calls::delete;
            2 "2.0" MPI_Info_dup PMPI_Info_dup (info: InfoHandle, newinfo: Out<InfoHandle>) = info::calls::dup;
            1 "2.0" MPI_Info_free PMPI_Info_free (info: InOut<InfoHandle>) = info::calls::free;
            2 "2.0" MPI_Info_get PMPI_Info_get (info: InfoHandle, key: InText, valuelen: Int, value: OutText, flag:
                Out<Flag>) = info::calls::get;
            2 "2.0" MPI_Info_get_nkeys PMPI_Info_get_nkeys (info: InfoHandle, nkeys: Out<Int>) = info::calls::get_nkeys;
            2 "2.0" MPI_Info_get_nthkey PMPI_Info_get_nthkey (info: InfoHandle, n: Int, key: OutText) = info::calls::get_nthkey;
            2 "2.0" MPI_Info_get_valuelen PMPI_Info_get_valuelen (info: InfoHandle, key: InText, valuelen: Out<Int>, flag:
                Out<Flag>) = info::calls::get_valuelen;
            1 "2.0" MPI_Info_set PMPI_Info_set (info: InfoHandle, key: InText, value: InText) = info::calls::set;
            2 "4.0" MPI_Info_create_env PMPI_Info_create_env (argc: Int, argv: Pointer, info: Out<InfoHandle>) = info::calls::create_env;
            2 "4.0" MPI_Info_get_string PMPI_Info_get_string (info: InfoHandle, key: InText, buflen: InOut<Int>, value:
                OutTextOrNull, flag: Out<Flag>) = info::calls::get_string;
        }
    };
}
