//! docs/mpi-functions.md: the functions of MPI by chapter, and which of them are implemented. The page is
//! made from the tables of `anyccl_mpi::functions`.

use std::fmt::Write as _;

use anyccl_mpi::functions::Function;

use crate::markdown::table;

anyccl_mpi::chapters!(listing);
anyccl_mpi::handles!(listing);

/// A chapter: its title and its functions.
type Chapter = (&'static str, &'static [Function]);

/// The chapters in the order of the standard.
fn chapters() -> [Chapter; 20] {
    [
        ("Point-to-point messages", P2P),
        ("Requests and status", REQUESTS),
        ("Partitioned messages", PARTITIONED),
        ("Datatypes, pack and unpack", DATATYPES),
        ("Collectives", COLLECTIVES),
        ("Operators", OPERATORS),
        ("Groups", GROUPS),
        ("Communicators", COMMUNICATORS),
        ("Attributes", ATTRIBUTES),
        ("Topologies", TOPOLOGIES),
        ("Neighbourhood collectives", NEIGHBORHOOD),
        ("Environment", ENVIRONMENT),
        ("Errors", ERRORS),
        ("Info objects", INFO),
        ("Sessions", SESSIONS),
        ("Processes: spawn, connect, ports", PROCESSES),
        ("Windows: one-sided communication", WINDOWS),
        ("Files", FILES),
        ("Tools (MPI_T)", TOOLS),
        ("The ABI, handles as numbers", HANDLES),
    ]
}

/// The text of the page, without its head.
pub fn page() -> String {
    let mut page = String::from(
        "# MPI's functions\n\n\
         This page counts the functions that the three libraries export, by chapter of the standard, and how many of them are \
         implemented. The others return MPI_ERR_UNSUPPORTED_OPERATION by the error handler, with a sentence. Each function has \
         its profiling twin, `PMPI_X`. [mpi.md](mpi.md) has the rest.\n\n\
         In C, `libmpi_abi.so.1` has these functions and no others. `libmpi.so.12` and `libmpi.so.40` also have the functions that \
         MPI 3.0 has removed, `c2f` and `f2c`, and the names of MPICH's or Open MPI's own functions. Open MPI has none of the last \
         chapter. Fortran has all of them but MPI_T and the last chapter: [mpi.md](mpi.md#fortran).\n\n",
    );
    let all = chapters();
    let mut rows: Vec<Vec<String>> = all.iter().map(|(title, functions)| row(title, functions)).collect();
    let every: Vec<Function> = all.iter().flat_map(|(_, functions)| functions.iter().copied()).collect();
    rows.push(row("all", &every));
    table(&mut page, &["chapter", "functions", "up to MPI 3.1", "implemented"], rows);
    page.push_str("\n## Refused\n\n");
    for (title, functions) in &all {
        let (there, refused): (Vec<&Function>, Vec<&Function>) =
            functions.iter().partition(|function| function.is_implemented);
        let names = |of: &[&Function]| {
            of.iter().map(|function| format!("`{}`", function.name)).collect::<Vec<_>>().join(", ")
        };
        // Writing to a string cannot fail.
        let _ = match (there.len(), refused.len()) {
            (_, 0) => Ok(()),
            (0, _) => writeln!(page, "- {}: all", title),
            (some, most) if some < most => writeln!(page, "- {}: all but {}", title, names(&there)),
            _ => writeln!(page, "- {}: {}", title, names(&refused)),
        };
    }
    page
}

fn row(title: &str, functions: &[Function]) -> Vec<String> {
    let count =
        |is: fn(&Function) -> bool| functions.iter().filter(|function| is(function)).count().to_string();
    let is_old = |function: &Function| function.since < "4.0";
    vec![title.into(), functions.len().to_string(), count(is_old), count(|function| function.is_implemented)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_chapters_have_all_functions_of_the_standard_abi() {
        let count: usize = chapters().iter().map(|(_, functions)| functions.len()).sum();
        assert_eq!(count, 664);
    }
}
