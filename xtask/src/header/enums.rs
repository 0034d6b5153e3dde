//! The enumerations of the header: a type of its own for each parameter, and the size of an int for all.
//!
//! Rust takes an enumeration from C as a c_int, so cbindgen writes `typedef int anyccl_datatype_t;`. Here it
//! becomes the enumeration itself. A compiler can then tell a datatype from an operator. Two macros of base.h
//! keep the size of an int in all languages and with -fshort-enums.

use crate::header::items::Items;

const TYPE: &str = "ANYCCL_ENUM_TYPE";
const SIZE: &str = "ANYCCL_ENUM_SIZE";

/// Rewrites the declarations of enumerations and their names.
pub fn rewrite(items: &mut Items) {
    let enums: Vec<String> =
        items.names().filter(|name| items.has(&format!("{name}_t"))).map(str::to_owned).collect();
    items.rewrite(|name, text| {
        if let Some(tag) = name.strip_suffix("_t").filter(|tag| enums.iter().any(|name| name == tag)) {
            return text.replace(&format!("typedef int {name};"), &format!("typedef enum {tag} {name};"));
        }
        let head = format!("typedef enum {name} {{");
        if !text.contains(&head) {
            return text.to_owned();
        }
        text.replace(&head, &format!("typedef enum {name} {TYPE} {{"))
            .replace(&format!("}} {name};"), &format!("}} {SIZE} {name};"))
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_enumeration_is_its_own_type_and_an_int_is_left_alone() {
        let mut items = Items::default();
        items.add("a_kind", "typedef enum a_kind {\n    A = 0,\n} a_kind;".to_owned());
        items.add("a_kind_t", "typedef int a_kind_t;".to_owned());
        items.add("a_tag_t", "typedef int a_tag_t;".to_owned());
        items.add("a_point_t", "typedef struct a_point_t {\n    int x;\n} a_point_t;".to_owned());
        rewrite(&mut items);
        assert_eq!(
            items.take("a_kind").unwrap(),
            "typedef enum a_kind ANYCCL_ENUM_TYPE {\n    A = 0,\n} ANYCCL_ENUM_SIZE a_kind;"
        );
        assert_eq!(items.take("a_kind_t").unwrap(), "typedef enum a_kind a_kind_t;");
        assert_eq!(items.take("a_tag_t").unwrap(), "typedef int a_tag_t;");
        assert!(items.take("a_point_t").unwrap().ends_with("} a_point_t;"));
    }
}
