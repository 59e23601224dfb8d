import FHIRPathEngine
import Foundation
import IndivoBase
import Testing

@Suite struct BoundedRegexTests {
    @Test(
        "patterns match whole texts as everywhere",
        arguments: [
            ("", "", true), ("a", "a", true), ("a", "ab", false), ("a|ab", "ab", true),
            ("(a|b)*c", "ababc", true),
            ("[A-Z]{2}[0-9]+", "AB12", true), ("[A-Z]{2}[0-9]+", "A12", false),
            ("\\d{3}-\\d{4}", "555-1234", true),
            ("[^a-c]+", "xyz", true), ("[^a-c]+", "xbz", false), ("a{2,3}", "aaaa", false),
            ("a{,3}", "a{,3}", true),
            ("(?i)abc", "aBC", true), (".", "\n", false), ("(?s).", "\n", true), ("\\p{L}+", "Zoë", true),
            ("[\\w.-]+@[\\w.-]+", "a.b@c.d", true), ("^a$", "a", true), ("(?:ab)+?", "abab", true),
            ("(?=.*\\d)(?=.*[a-z]).{4,}", "abc1", true), ("(?=.*\\d)(?=.*[a-z]).{4,}", "abcd", false),
            ("(?!000)\\d{3}", "000", false), ("(?<=a)b|ab", "ab", true), ("(a+)\\1", "aaaa", true),
            ("(a+)\\1", "aaa", false),
            ("(?<x>a|b)\\k<x>", "bb", true), ("[a-z&&[^aeiou]]+", "xyz", true),
            ("[a-z&&[^aeiou]]+", "xaz", false),
            ("[]a]+", "]a", true), ("[a\\]]+", "]a", true), ("[\\d-]+", "1-2", true),
            ("\\u0041\\x42", "AB", true),
            ("(a*)*b", "aaab", true), ("(a*)*\\bb?", "", false), ("((a|b*)*)c(?=$)", "abac", true),
            ("\\.", "x", false),
            ("e\u{301}", "é", false), ("(?:(?:a?){3}){2}", "aaaaaa", true), ("[\\s\\S]+", "a\nb", true),
            ("a{0}b", "b", true),
        ]
    )
    func whole(pattern: String, text: String, expected: Bool) throws {
        #expect(try BoundedRegex(pattern).matchesWhole(text) == expected)
    }

    @Test(
        "malformed patterns are refused with their offset",
        arguments: [
            ("a**b(", 4), ("*a", 0), ("(a", 0), ("a)", 1), ("[a", 0), ("[b-a]", 1), ("a{3,2}", 1), ("\\", 1),
            ("(?>a)", 0),
            ("\\q", 0), ("a{20000}", 2), ("\\p{Klingon}", 1), ("(?<n", 4), ("[a-z&&b]", 6), ("a++", 2),
            ("{2}", 0),
        ]
    )
    func malformed(pattern: String, offset: Int) {
        #expect {
            try BoundedRegex(pattern)
        } throws: { error in
            guard case BoundedRegexError.malformed(_, offset) = error else {
                Issue.record("\(error)")
                return false
            }
            return true
        }
    }

    @Test(
        "patterns that make others backtrack for ever end at once",
        arguments: [
            "(a+)+$", "(a|a)*$", "(a|aa)+$", "(.*a){20}$", "(a*)*$", "([a-z]+)*!$", "(x+x+)+y",
        ]
    )
    func catastrophes(pattern: String) throws {
        let regex = try BoundedRegex(pattern)
        let text = String(repeating: "a", count: 2000) + "b"
        #expect(try !regex.matchesWhole(text))
        // The empty match at the end, where there is one.
        #expect(try regex.isFound(in: text) == regex.matchesWhole(""))
    }

    @Test("a lookaround that backtracks for ever is given up")
    func lookarounds() throws {
        let regex = try BoundedRegex("(?=(a+)+$)a*")
        #expect(throws: BoundedRegexError.tooManySteps) {
            try regex.matchesWhole(String(repeating: "a", count: 60) + "b")
        }
    }

    @Test("nested repetitions that explode are refused")
    func nested() {
        #expect(throws: BoundedRegexError.tooLarge) { try BoundedRegex("((a{1000}){1000}){1000}") }
    }

    @Test("groups that are nested too deep are refused")
    func deepGroups() {
        let pattern = String(repeating: "(", count: 5000) + String(repeating: ")", count: 5000)
        #expect(throws: BoundedRegexError.self) { try BoundedRegex(pattern) }
    }

    @Test(
        "matches are replaced",
        arguments: [
            ("\\d+", "a1b22", "#", "a#b#"), ("(\\d)(\\d)", "12-34", "$2$1", "21-43"),
            ("x*", "abc", "-", "-a-b-c-"),
            ("(?<year>\\d{4})", "in 2026", "${year}!", "in 2026!"), ("a", "aaa", "\\$1", "$1$1$1"),
            ("b", "aaa", "x", "aaa"),
            ("(a)|b", "ab", "[$1]", "[a][]"),
        ]
    )
    func replacing(pattern: String, text: String, template: String, expected: String) throws {
        #expect(try BoundedRegex(pattern).replacingMatches(in: text, with: template) == expected)
    }

    /// Patterns of a small grammar on short texts, against ICU.
    @Test("random patterns agree with Foundation")
    func random() throws {
        var generator = SeededGenerator(seed: 2026)
        func pattern(_ depth: Int) -> String {
            switch Int.random(in: 0...(depth == 0 ? 2 : 8), using: &generator) {
            case 0: return "a"
            case 1: return "b"
            case 2: return "[ab]"
            case 3: return pattern(depth - 1) + pattern(depth - 1)
            case 4: return "(?:" + pattern(depth - 1) + "|" + pattern(depth - 1) + ")"
            case 5: return "(" + pattern(depth - 1) + ")*"
            case 6:
                return "(" + pattern(depth - 1) + ")" + ["+", "?", "{1,2}"].randomElement(using: &generator)!
            case 7: return "(?=" + pattern(depth - 1) + ")" + pattern(depth - 1)
            default: return "\\b" + pattern(depth - 1)
            }
        }
        for _ in 0..<200 {
            let source = pattern(4)
            let regex = try BoundedRegex(source)
            let foreign = try NSRegularExpression(pattern: "\\A(?:" + source + ")\\z")
            for _ in 0..<4 {
                let text = String(
                    (0..<Int.random(in: 0...6, using: &generator)).map { _ in
                        Bool.random(using: &generator) ? "a" : "b"
                    } as [Character]
                )
                let expected =
                    foreign.firstMatch(in: text, range: NSRange(location: 0, length: text.utf16.count)) != nil
                #expect(try regex.matchesWhole(text) == expected, "\(source) on “\(text)”")
            }
        }
    }
}
