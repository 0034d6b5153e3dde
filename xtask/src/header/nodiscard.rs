//! Statuses that must not be ignored: ANYCCL_NODISCARD, a macro of base.h, in front of the calls.

use crate::header::items::Items;

const STATUS: &str = "\nanyccl_status_t ";

/// Calls that a program makes while it cleans up. Their status tells of nothing but a misuse of the handle.
/// The text of base.h.in names them, too.
const MAY_BE_IGNORED: [&str; 7] = [
    "anyccl_comm_abort",
    "anyccl_comm_abort_with",
    "anyccl_graph_destroy",
    "anyccl_mem_free",
    "anyccl_op_destroy",
    "anyccl_request_free",
    "anyccl_set_log_callback",
];

/// Marks every call that returns a status, apart from these.
pub fn mark(items: &mut Items) {
    items.rewrite(|name, text| match MAY_BE_IGNORED.contains(&name) {
        true => text.to_owned(),
        false => text.replace(STATUS, &format!("\nANYCCL_NODISCARD{STATUS}")),
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_status_is_marked_but_those_of_cleaning_up() {
        let mut items = Items::default();
        for name in ["anyccl_reduce", "anyccl_mem_free"] {
            items.add(name, format!("/** Text. */\nanyccl_status_t {name}(int x);"));
        }
        items.add("anyccl_version", "/** Text. */\nint anyccl_version(void);".to_owned());
        mark(&mut items);
        assert_eq!(
            items.take("anyccl_reduce").unwrap(),
            "/** Text. */\nANYCCL_NODISCARD\nanyccl_status_t anyccl_reduce(int x);"
        );
        assert!(!items.take("anyccl_mem_free").unwrap().contains("NODISCARD"));
        assert!(!items.take("anyccl_version").unwrap().contains("NODISCARD"));
    }
}
