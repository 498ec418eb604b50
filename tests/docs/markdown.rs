//! As much of Markdown as the documents use.

/// The text under a heading, up to the next heading of its level or above.
pub(crate) fn section<'d>(document: &'d str, heading: &str) -> &'d str {
    let level = heading.chars().take_while(|c| *c == '#').count();
    let from = document
        .match_indices(heading)
        .map(|(at, _)| at)
        .find(|at| document[at + heading.len()..].starts_with('\n'))
        .unwrap_or_else(|| panic!("there is no heading `{heading}`"));
    let text = &document[from + heading.len()..];
    let is_end = |line: &str| {
        let marks = line.chars().take_while(|c| *c == '#').count();
        (1..=level).contains(&marks) && line[marks..].starts_with(' ')
    };
    let mut end = 0;
    for line in text.split_inclusive('\n') {
        if is_end(line) {
            break;
        }
        end += line.len();
    }
    &text[..end]
}

/// The words in backquotes in the first column of the tables of a text.
pub(crate) fn first_column(text: &str) -> Vec<&str> {
    text.lines()
        .filter_map(|line| line.strip_prefix("| ")?.split(" |").next())
        .filter(|cell| cell.starts_with('`'))
        .flat_map(|cell| cell.split('`').skip(1).step_by(2))
        .collect()
}

/// The fenced blocks of a language.
pub(crate) fn blocks<'d>(document: &'d str, language: &str) -> Vec<&'d str> {
    let start = format!("```{language}\n");
    document.split(&start).skip(1).map(|rest| rest.split("```").next().unwrap_or(rest)).collect()
}

/// The targets of the links in a text.
pub(crate) fn links(text: &str) -> impl Iterator<Item = &str> {
    text.split("](").skip(1).filter_map(|rest| rest.split(')').next())
}

/// The name by which a link calls a heading.
pub(crate) fn anchor(heading: &str) -> String {
    let text = heading.trim_start_matches('#').trim().to_lowercase();
    text.chars()
        .filter(|c| c.is_alphanumeric() || " -_".contains(*c))
        .map(|c| if c == ' ' { '-' } else { c })
        .collect()
}
