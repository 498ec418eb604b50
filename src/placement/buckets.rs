//! Numbered buckets, each held by one host: what mod-n and jump hash need,
//! which know hosts by number alone.

use std::cmp::Ordering;

use super::Member;
use crate::model::HostId;

/// Hosts by bucket number. A host that joins takes the first number that
/// became free in the same change, or else the next one. Where a number stays
/// free, the host of the last bucket takes it, so that the numbers stay without
/// a gap and no other bucket changes hands.
#[derive(Clone, Debug, Default)]
pub struct Buckets {
    hosts: Vec<HostId>,
}

impl Buckets {
    /// Takes hosts out, and gives their numbers and the next ones to others.
    pub fn change(&mut self, leaving: &[HostId], joining: &[Member<'_>]) {
        let mut joining = joining.iter().map(|member| member.host);
        for gone in leaving {
            if let Some(number) = self.hosts.iter().position(|host| host == gone) {
                match joining.next() {
                    Some(host) => self.hosts[number] = host,
                    None => {
                        self.hosts.swap_remove(number);
                    }
                }
            }
        }
        self.hosts.extend(joining);
    }

    /// How many buckets there are.
    pub fn len(&self) -> usize {
        self.hosts.len()
    }

    /// Whether there is no bucket.
    pub fn is_empty(&self) -> bool {
        self.hosts.is_empty()
    }

    /// The host of a bucket.
    pub fn host(&self, number: usize) -> Option<HostId> {
        self.hosts.get(number).copied()
    }
}

/// Compares names as people number things: runs of digits by value, all else
/// by byte, so that `host-2` comes before `host-10`. Names that are equal by
/// this rule (`h1`, `h01`) are compared as text.
pub fn natural_order(a: &str, b: &str) -> Ordering {
    fn digits(text: &[u8]) -> usize {
        text.iter().take_while(|byte| byte.is_ascii_digit()).count()
    }
    let (mut x, mut y) = (a.as_bytes(), b.as_bytes());
    while let (Some(&p), Some(&q)) = (x.first(), y.first()) {
        if p.is_ascii_digit() && q.is_ascii_digit() {
            let (run_x, rest_x) = x.split_at(digits(x));
            let (run_y, rest_y) = y.split_at(digits(y));
            let value =
                |run: &[u8]| run.iter().skip_while(|d| **d == b'0').copied().collect::<Vec<u8>>();
            let (value_x, value_y) = (value(run_x), value(run_y));
            let order = value_x.len().cmp(&value_y.len()).then_with(|| value_x.cmp(&value_y));
            if order != Ordering::Equal {
                return order;
            }
            (x, y) = (rest_x, rest_y);
        } else if p != q {
            return p.cmp(&q);
        } else {
            (x, y) = (&x[1..], &y[1..]);
        }
    }
    x.len().cmp(&y.len()).then_with(|| a.cmp(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_names_are_compared_by_value() {
        let mut names = ["h10", "h2", "h1", "a", "h01", "h2b", ""];
        names.sort_by(|a, b| natural_order(a, b));
        assert_eq!(names, ["", "a", "h01", "h1", "h2", "h2b", "h10"]);
    }
}
