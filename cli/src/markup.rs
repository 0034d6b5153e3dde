//! Text inside HTML and SVG.

/// Escapes text for an element or for an attribute in double quotes.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_ends_an_element_or_an_attribute() {
        assert_eq!(escape("</a> & \" onload=\"x"), "&lt;/a&gt; &amp; &quot; onload=&quot;x");
    }
}
