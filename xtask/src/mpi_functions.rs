//! docs/mpi-functions.md: the functions of MPI by chapter, and which of them are implemented. The page is
//! made from the tables of `anyccl_mpi::functions`.

use std::fmt::Write as _;

use anyccl_mpi::functions::Function;

use crate::markdown::table;

anyccl_mpi::attributes!(listing);
anyccl_mpi::collectives!(listing);
anyccl_mpi::collectives_since_4!(listing);
anyccl_mpi::communicators!(listing);
anyccl_mpi::communicators_since_4!(listing);
anyccl_mpi::datatypes!(listing);
anyccl_mpi::datatypes_since_4!(listing);
anyccl_mpi::environment!(listing);
anyccl_mpi::environment_since_4!(listing);
anyccl_mpi::errors!(listing);
anyccl_mpi::errors_since_4!(listing);
anyccl_mpi::files!(listing);
anyccl_mpi::files_since_4!(listing);
anyccl_mpi::groups!(listing);
anyccl_mpi::handles_since_4!(listing);
anyccl_mpi::info!(listing);
anyccl_mpi::info_since_4!(listing);
anyccl_mpi::neighborhood!(listing);
anyccl_mpi::neighborhood_since_4!(listing);
anyccl_mpi::operators!(listing);
anyccl_mpi::operators_since_4!(listing);
anyccl_mpi::p2p!(listing);
anyccl_mpi::p2p_since_4!(listing);
anyccl_mpi::partitioned_since_4!(listing);
anyccl_mpi::processes!(listing);
anyccl_mpi::requests!(listing);
anyccl_mpi::requests_since_4!(listing);
anyccl_mpi::sessions_since_4!(listing);
anyccl_mpi::tools!(listing);
anyccl_mpi::tools_since_4!(listing);
anyccl_mpi::topologies!(listing);
anyccl_mpi::windows!(listing);
anyccl_mpi::windows_since_4!(listing);

/// A chapter: its title, its functions up to MPI 3.1, and its newer functions.
type Chapter = (&'static str, &'static [Function], &'static [Function]);

/// The chapters in the order of the standard.
fn chapters() -> [Chapter; 20] {
    [
        ("Point-to-point messages", P2P, P2P_SINCE_4),
        ("Requests and status", REQUESTS, REQUESTS_SINCE_4),
        ("Partitioned messages", &[], PARTITIONED_SINCE_4),
        ("Datatypes, pack and unpack", DATATYPES, DATATYPES_SINCE_4),
        ("Collectives", COLLECTIVES, COLLECTIVES_SINCE_4),
        ("Operators", OPERATORS, OPERATORS_SINCE_4),
        ("Groups", GROUPS, &[]),
        ("Communicators", COMMUNICATORS, COMMUNICATORS_SINCE_4),
        ("Attributes", ATTRIBUTES, &[]),
        ("Topologies", TOPOLOGIES, &[]),
        ("Neighbourhood collectives", NEIGHBORHOOD, NEIGHBORHOOD_SINCE_4),
        ("Environment", ENVIRONMENT, ENVIRONMENT_SINCE_4),
        ("Errors", ERRORS, ERRORS_SINCE_4),
        ("Info objects", INFO, INFO_SINCE_4),
        ("Sessions", &[], SESSIONS_SINCE_4),
        ("Processes: spawn, connect, ports", PROCESSES, &[]),
        ("Windows: one-sided communication", WINDOWS, WINDOWS_SINCE_4),
        ("Files", FILES, FILES_SINCE_4),
        ("Tools (MPI_T)", TOOLS, TOOLS_SINCE_4),
        ("The ABI, handles as numbers", &[], HANDLES_SINCE_4),
    ]
}

/// The text of the page, without its head.
pub fn page() -> String {
    let mut page = String::from(
        "# MPI's functions\n\n\
         This page counts the functions that each library exports, by chapter of the standard, and how many of them are \
         implemented. The others return MPI_ERR_UNSUPPORTED_OPERATION by the error handler, with a sentence. `libmpi_abi.so.1` \
         has all functions of MPI 5.0, `libmpi.so.12` those up to MPI 3.1. Each has its profiling twin, `PMPI_X`. [mpi.md](mpi.md) has the rest.\n\n",
    );
    let all = chapters();
    let mut rows: Vec<Vec<String>> =
        all.iter().map(|chapter| row(chapter.0, &functions(chapter), chapter.1)).collect();
    let every: Vec<Function> = all.iter().flat_map(functions).collect();
    let old: Vec<Function> = all.iter().flat_map(|(_, old, _)| old.iter().copied()).collect();
    rows.push(row("all", &every, &old));
    table(&mut page, &["chapter", "MPI 5.0", "implemented", "MPI 3.1", "implemented"], rows);
    page.push_str("\n## Refused\n\n");
    for chapter in &all {
        let functions = functions(chapter);
        let (there, refused): (Vec<&Function>, Vec<&Function>) =
            functions.iter().partition(|function| function.is_implemented);
        let names = |of: &[&Function]| {
            of.iter().map(|function| format!("`{}`", function.name)).collect::<Vec<_>>().join(", ")
        };
        // Writing to a string cannot fail.
        let _ = match (there.len(), refused.len()) {
            (_, 0) => Ok(()),
            (0, _) => writeln!(page, "- {}: all", chapter.0),
            (some, most) if some < most => writeln!(page, "- {}: all but {}", chapter.0, names(&there)),
            _ => writeln!(page, "- {}: {}", chapter.0, names(&refused)),
        };
    }
    page
}

fn functions(chapter: &Chapter) -> Vec<Function> {
    chapter.1.iter().chain(chapter.2).copied().collect()
}

fn row(title: &str, every: &[Function], old: &[Function]) -> Vec<String> {
    let implemented =
        |of: &[Function]| of.iter().filter(|function| function.is_implemented).count().to_string();
    vec![title.into(), every.len().to_string(), implemented(every), old.len().to_string(), implemented(old)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_chapters_have_all_functions_of_the_standard_abi() {
        let count: usize = chapters().iter().map(|chapter| functions(chapter).len()).sum();
        assert_eq!(count, 664);
    }
}
