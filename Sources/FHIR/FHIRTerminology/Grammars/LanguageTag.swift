import IndivoBase

/// Tags for languages (BCP 47, RFC 5646, 2.1).
enum LanguageTag {
    /// Whether a tag has the form, and its first part, where that is of two letters, is a language of ISO
    /// 639-1.
    static func isWellFormed(_ tag: String) -> Bool {
        let tag = tag.lowercased()
        if grandfathered.contains(tag) { return true }
        var parts = tag.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)[...]
        guard parts.count <= 30, parts.allSatisfy({ (1...8).contains($0.count) }),
            parts.allSatisfy({ $0.allSatisfy(\.isASCIILetterOrDigit) }), let language = parts.popFirst()
        else { return false }
        if language.elementsEqual("x".utf8) { return !parts.isEmpty }
        guard language.count >= 2, language.allSatisfy(\.isASCIILetter) else { return false }
        if language.count == 2, !twoLetters.contains(String(Substring(language))) { return false }
        if language.count <= 3 {
            for _ in 0..<3 where parts.first.map({ $0.count == 3 && $0.allSatisfy(\.isASCIILetter) }) == true
            {
                parts.removeFirst()
            }
        }
        if parts.first.map({ $0.count == 4 && $0.allSatisfy(\.isASCIILetter) }) == true {
            parts.removeFirst()
        }
        if parts.first.map(isRegion) == true { parts.removeFirst() }
        while parts.first.map(isVariant) == true { parts.removeFirst() }
        return areExtensions(parts)
    }

    private static func isRegion(_ part: Substring.UTF8View) -> Bool {
        part.count == 2 && part.allSatisfy(\.isASCIILetter)
            || part.count == 3 && part.allSatisfy(\.isASCIIDigit)
    }

    private static func isVariant(_ part: Substring.UTF8View) -> Bool {
        part.count >= 5 || part.count == 4 && part.first?.isASCIIDigit == true
    }

    /// Each begins with one letter or digit, and has a part behind it.
    private static func areExtensions(_ parts: ArraySlice<Substring.UTF8View>) -> Bool {
        var parts = parts
        while let singleton = parts.popFirst() {
            guard singleton.count == 1 else { return false }
            if singleton.elementsEqual("x".utf8) { return !parts.isEmpty }
            guard let first = parts.popFirst(), first.count >= 2 else { return false }
            parts = parts.drop { $0.count >= 2 }
        }
        return true
    }

    /// RFC 5646, 2.2.8: tags that the form does not have.
    private static let grandfathered: Set<String> = [
        "en-gb-oed", "i-ami", "i-bnn", "i-default", "i-enochian", "i-hak", "i-klingon", "i-lux", "i-mingo",
        "i-navajo",
        "i-pwn", "i-tao", "i-tay", "i-tsu", "sgn-be-fr", "sgn-be-nl", "sgn-ch-de",
    ]

    /// ISO 639-1, with the codes that were replaced.
    private static let twoLetters: Set<String> = Set(
        """
        aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de \
        dv dz ee el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id \
        ie ig ii ik in io is it iu iw ja ji jv jw ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li \
        ln lo lt lu lv mg mh mi mk ml mn mo mr ms mt my na nb nd ne ng nl nn no nr nv ny oc oj om or os pa \
        pi pl ps pt qu rm rn ro ru rw sa sc sd se sg sh si sk sl sm sn so sq sr ss st su sv sw ta te tg th \
        ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu
        """.split(separator: " ").map(String.init)
    )
}
