//! Datatypes and packing: chapter 5.

/// Rows of the chapter. See [`crate::functions`].
#[macro_export]
macro_rules! datatypes {
    ($door:ident) => {
        $crate::export! { $door DATATYPES
            1 "2.0" MPI_Get_address PMPI_Get_address (location: ConstPointer, address: Out<Aint>) = types::inquiry::address;
            2 "1.0" MPI_Pack PMPI_Pack (inbuf: SendBuffer, incount: Count, datatype: DatatypeHandle, outbuf: RecvBuffer,
                outsize: Count, position: InOut<Count>, comm: CommHandle) on comm = types::packing::pack;
            2 "2.0" MPI_Pack_external PMPI_Pack_external (datarep: InText, inbuf: SendBuffer, incount: Count, datatype:
                DatatypeHandle, outbuf: RecvBuffer, outsize: Aint, position: InOut<Aint>) = types::external::pack_external;
            2 "2.0" MPI_Pack_external_size PMPI_Pack_external_size (datarep: InText, incount: Count, datatype:
                DatatypeHandle, size: Out<Aint>) = types::external::pack_external_size;
            2 "1.0" MPI_Pack_size PMPI_Pack_size (incount: Count, datatype: DatatypeHandle, comm: CommHandle, size:
                Out<Count>) on comm = types::packing::pack_size;
            1 "1.0" MPI_Type_commit PMPI_Type_commit (datatype: InOut<DatatypeHandle>) = types::construct::commit;
            1 "1.0" MPI_Type_contiguous PMPI_Type_contiguous (count: Count, oldtype: DatatypeHandle, newtype:
                Out<DatatypeHandle>) = types::construct::contiguous <Small>;
            2 "2.0" MPI_Type_create_darray PMPI_Type_create_darray (size: Count, rank: Int, ndims: Int, array_of_gsizes:
                Array<Count>, array_of_distribs: Array<Distribution>, array_of_dargs: Array<DistributionArg>, array_of_psizes:
                Array<Int>, order: Order, oldtype: DatatypeHandle, newtype: Out<DatatypeHandle>) = types::construct::darray <Small>;
            2 "2.0" MPI_Type_create_f90_complex PMPI_Type_create_f90_complex (p: Int, r: Int, newtype: Out<DatatypeHandle>)
                = types::construct::f90_complex;
            2 "2.0" MPI_Type_create_f90_integer PMPI_Type_create_f90_integer (r: Int, newtype: Out<DatatypeHandle>) = types::construct::f90_integer;
            2 "2.0" MPI_Type_create_f90_real PMPI_Type_create_f90_real (p: Int, r: Int, newtype: Out<DatatypeHandle>) = types::construct::f90_real;
            2 "2.0" MPI_Type_create_hindexed PMPI_Type_create_hindexed (count: Count, array_of_blocklengths: Array<Count>,
                array_of_displacements: Array<Aint>, oldtype: DatatypeHandle, newtype: Out<DatatypeHandle>) = types::construct::hindexed <Small>;
            2 "3.0" MPI_Type_create_hindexed_block PMPI_Type_create_hindexed_block (count: Count, blocklength: Count,
                array_of_displacements: Array<Aint>, oldtype: DatatypeHandle, newtype: Out<DatatypeHandle>) = types::construct::hindexed_block <Small>;
            2 "2.0" MPI_Type_create_hvector PMPI_Type_create_hvector (count: Count, blocklength: Count, stride: Aint,
                oldtype: DatatypeHandle, newtype: Out<DatatypeHandle>) = types::construct::hvector <Small>;
            2 "2.0" MPI_Type_create_indexed_block PMPI_Type_create_indexed_block (count: Count, blocklength: Count,
                array_of_displacements: Array<Count>, oldtype: DatatypeHandle, newtype: Out<DatatypeHandle>) = types::construct::indexed_block <Small>;
            1 "2.0" MPI_Type_create_resized PMPI_Type_create_resized (oldtype: DatatypeHandle, lb: Aint, extent: Aint,
                newtype: Out<DatatypeHandle>) = types::construct::resized <Small>;
            2 "2.0" MPI_Type_create_struct PMPI_Type_create_struct (count: Count, array_of_blocklengths: Array<Count>,
                array_of_displacements: Array<Aint>, array_of_types: Array<DatatypeHandle>, newtype: Out<DatatypeHandle>) = types::construct::structure <Small>;
            1 "2.0" MPI_Type_create_subarray PMPI_Type_create_subarray (ndims: Int, array_of_sizes: Array<Count>,
                array_of_subsizes: Array<Count>, array_of_starts: Array<Count>, order: Order, oldtype: DatatypeHandle, newtype:
                Out<DatatypeHandle>) = types::construct::subarray <Small>;
            2 "2.0" MPI_Type_dup PMPI_Type_dup (oldtype: DatatypeHandle, newtype: Out<DatatypeHandle>) = types::construct::dup;
            1 "1.0" MPI_Type_free PMPI_Type_free (datatype: InOut<DatatypeHandle>) = types::construct::free;
            2 "2.0" MPI_Type_get_contents PMPI_Type_get_contents (datatype: DatatypeHandle, max_integers: Int,
                max_addresses: Int, max_datatypes: Int, array_of_integers: OutArray<ContentsNumber>, array_of_addresses: OutArray<Aint>,
                array_of_datatypes: OutArray<DatatypeHandle>) = types::inquiry::contents;
            2 "2.0" MPI_Type_get_envelope PMPI_Type_get_envelope (datatype: DatatypeHandle, num_integers: Out<Int>,
                num_addresses: Out<Int>, num_datatypes: Out<Int>, combiner: Out<Combiner>) = types::inquiry::envelope;
            1 "2.0" MPI_Type_get_extent PMPI_Type_get_extent (datatype: DatatypeHandle, lb: Out<Aint>, extent: Out<Aint>) = types::inquiry::extent;
            3 "3.0" MPI_Type_get_extent_x PMPI_Type_get_extent_x (datatype: DatatypeHandle, lb: Out<LargeCount>, extent:
                Out<LargeCount>) = types::inquiry::extent;
            1 "2.0" MPI_Type_get_name PMPI_Type_get_name (datatype: DatatypeHandle, type_name: OutText, resultlen: Out<Int>)
                = types::inquiry::get_name;
            2 "2.0" MPI_Type_get_true_extent PMPI_Type_get_true_extent (datatype: DatatypeHandle, true_lb: Out<Aint>,
                true_extent: Out<Aint>) = types::inquiry::true_extent;
            3 "3.0" MPI_Type_get_true_extent_x PMPI_Type_get_true_extent_x (datatype: DatatypeHandle, true_lb:
                Out<LargeCount>, true_extent: Out<LargeCount>) = types::inquiry::true_extent;
            1 "1.0" MPI_Type_indexed PMPI_Type_indexed (count: Count, array_of_blocklengths: Array<Count>,
                array_of_displacements: Array<Count>, oldtype: DatatypeHandle, newtype: Out<DatatypeHandle>) = types::construct::indexed <Small>;
            2 "2.0" MPI_Type_match_size PMPI_Type_match_size (typeclass: TypeClass, size: Count, datatype:
                Out<DatatypeHandle>) = types::construct::match_size;
            2 "2.0" MPI_Type_set_name PMPI_Type_set_name (datatype: DatatypeHandle, type_name: InText) = types::inquiry::set_name;
            1 "1.0" MPI_Type_size PMPI_Type_size (datatype: DatatypeHandle, size: Out<Count>) = types::inquiry::size;
            2 "3.0" MPI_Type_size_x PMPI_Type_size_x (datatype: DatatypeHandle, size: Out<LargeCount>) = types::inquiry::size;
            1 "1.0" MPI_Type_vector PMPI_Type_vector (count: Count, blocklength: Count, stride: Count, oldtype:
                DatatypeHandle, newtype: Out<DatatypeHandle>) = types::construct::vector <Small>;
            2 "1.0" MPI_Unpack PMPI_Unpack (inbuf: SendBuffer, insize: Count, position: InOut<Count>, outbuf: RecvBuffer,
                outcount: Count, datatype: DatatypeHandle, comm: CommHandle) on comm = types::packing::unpack;
            2 "2.0" MPI_Unpack_external PMPI_Unpack_external (datarep: InText, inbuf: SendBuffer, insize: Aint, position:
                InOut<Aint>, outbuf: RecvBuffer, outcount: Count, datatype: DatatypeHandle) = types::external::unpack_external;
            2 "3.1" MPI_Aint_add PMPI_Aint_add (base: Aint, disp: Aint) -> Address = handles::aint_add;
            2 "3.1" MPI_Aint_diff PMPI_Aint_diff (addr1: Aint, addr2: Aint) -> Address = handles::aint_diff;
            2 "4.0" MPI_Pack_c PMPI_Pack_c (inbuf: SendBuffer, incount: LargeCount, datatype: DatatypeHandle, outbuf:
                RecvBuffer, outsize: LargeCount, position: InOut<LargeCount>, comm: CommHandle) on comm = types::packing::pack;
            2 "4.0" MPI_Pack_external_c PMPI_Pack_external_c (datarep: InText, inbuf: SendBuffer, incount: LargeCount,
                datatype: DatatypeHandle, outbuf: RecvBuffer, outsize: LargeCount, position: InOut<LargeCount>) = types::external::pack_external;
            2 "4.0" MPI_Pack_external_size_c PMPI_Pack_external_size_c (datarep: InText, incount: LargeCount, datatype:
                DatatypeHandle, size: Out<LargeCount>) = types::external::pack_external_size;
            2 "4.0" MPI_Pack_size_c PMPI_Pack_size_c (incount: LargeCount, datatype: DatatypeHandle, comm: CommHandle, size:
                Out<LargeCount>) on comm = types::packing::pack_size;
            2 "4.0" MPI_Type_contiguous_c PMPI_Type_contiguous_c (count: LargeCount, oldtype: DatatypeHandle, newtype:
                Out<DatatypeHandle>) = types::construct::contiguous <Large>;
            2 "4.0" MPI_Type_create_darray_c PMPI_Type_create_darray_c (size: Count, rank: Int, ndims: Int, array_of_gsizes:
                Array<LargeCount>, array_of_distribs: Array<Distribution>, array_of_dargs: Array<DistributionArg>,
                array_of_psizes: Array<Int>, order: Order, oldtype: DatatypeHandle, newtype: Out<DatatypeHandle>) = types::construct::darray <Large>;
            2 "4.0" MPI_Type_create_hindexed_c PMPI_Type_create_hindexed_c (count: LargeCount, array_of_blocklengths:
                Array<LargeCount>, array_of_displacements: Array<LargeCount>, oldtype: DatatypeHandle, newtype:
                Out<DatatypeHandle>) = types::construct::hindexed <Large>;
            2 "4.0" MPI_Type_create_hindexed_block_c PMPI_Type_create_hindexed_block_c (count: LargeCount, blocklength:
                LargeCount, array_of_displacements: Array<LargeCount>, oldtype: DatatypeHandle, newtype: Out<DatatypeHandle>) = types::construct::hindexed_block <Large>;
            2 "4.0" MPI_Type_create_hvector_c PMPI_Type_create_hvector_c (count: LargeCount, blocklength: LargeCount,
                stride: LargeCount, oldtype: DatatypeHandle, newtype: Out<DatatypeHandle>) = types::construct::hvector <Large>;
            2 "4.0" MPI_Type_create_indexed_block_c PMPI_Type_create_indexed_block_c (count: LargeCount, blocklength:
                LargeCount, array_of_displacements: Array<LargeCount>, oldtype: DatatypeHandle, newtype: Out<DatatypeHandle>) = types::construct::indexed_block <Large>;
            2 "4.0" MPI_Type_create_resized_c PMPI_Type_create_resized_c (oldtype: DatatypeHandle, lb: LargeCount, extent:
                LargeCount, newtype: Out<DatatypeHandle>) = types::construct::resized <Large>;
            2 "4.0" MPI_Type_create_struct_c PMPI_Type_create_struct_c (count: LargeCount, array_of_blocklengths:
                Array<LargeCount>, array_of_displacements: Array<LargeCount>, array_of_types: Array<DatatypeHandle>, newtype:
                Out<DatatypeHandle>) = types::construct::structure <Large>;
            2 "4.0" MPI_Type_create_subarray_c PMPI_Type_create_subarray_c (ndims: Int, array_of_sizes: Array<LargeCount>,
                array_of_subsizes: Array<LargeCount>, array_of_starts: Array<LargeCount>, order: Order, oldtype: DatatypeHandle,
                newtype: Out<DatatypeHandle>) = types::construct::subarray <Large>;
            2 "4.0" MPI_Type_get_contents_c PMPI_Type_get_contents_c (datatype: DatatypeHandle, max_integers: LargeCount,
                max_addresses: LargeCount, max_large_counts: LargeCount, max_datatypes: LargeCount, array_of_integers: OutArray<ContentsNumber>, array_of_addresses: OutArray<Aint>, array_of_large_counts: OutArray<LargeCount>,
                array_of_datatypes: OutArray<DatatypeHandle>) = types::inquiry::large_contents;
            2 "4.0" MPI_Type_get_envelope_c PMPI_Type_get_envelope_c (datatype: DatatypeHandle, num_integers:
                Out<LargeCount>, num_addresses: Out<LargeCount>, num_large_counts: Out<LargeCount>, num_datatypes:
                Out<LargeCount>, combiner: Out<Combiner>) = types::inquiry::large_envelope;
            2 "4.0" MPI_Type_get_extent_c PMPI_Type_get_extent_c (datatype: DatatypeHandle, lb: Out<LargeCount>, extent:
                Out<LargeCount>) = types::inquiry::extent;
            2 "4.0" MPI_Type_get_true_extent_c PMPI_Type_get_true_extent_c (datatype: DatatypeHandle, true_lb:
                Out<LargeCount>, true_extent: Out<LargeCount>) = types::inquiry::true_extent;
            2 "4.1" MPI_Type_get_value_index PMPI_Type_get_value_index (value_type: DatatypeHandle, index_type:
                DatatypeHandle, pair_type: Out<DatatypeHandle>) = types::construct::value_index;
            2 "4.0" MPI_Type_indexed_c PMPI_Type_indexed_c (count: LargeCount, array_of_blocklengths: Array<LargeCount>,
                array_of_displacements: Array<LargeCount>, oldtype: DatatypeHandle, newtype: Out<DatatypeHandle>) = types::construct::indexed <Large>;
            2 "4.0" MPI_Type_size_c PMPI_Type_size_c (datatype: DatatypeHandle, size: Out<LargeCount>) = types::inquiry::size;
            2 "4.0" MPI_Type_vector_c PMPI_Type_vector_c (count: LargeCount, blocklength: LargeCount, stride: LargeCount,
                oldtype: DatatypeHandle, newtype: Out<DatatypeHandle>) = types::construct::vector <Large>;
            2 "4.0" MPI_Unpack_c PMPI_Unpack_c (inbuf: SendBuffer, insize: LargeCount, position: InOut<LargeCount>, outbuf:
                RecvBuffer, outcount: LargeCount, datatype: DatatypeHandle, comm: CommHandle) on comm = types::packing::unpack;
            2 "4.0" MPI_Unpack_external_c PMPI_Unpack_external_c (datarep: InText, inbuf: SendBuffer, insize: LargeCount,
                position: InOut<LargeCount>, outbuf: RecvBuffer, outcount: LargeCount, datatype: DatatypeHandle) = types::external::unpack_external;
        }
    };
}
