/// A page of a consent document with everything that a view draws of it.
public struct ConsentPage: Sendable, Hashable {
    /// What a page is about.
    public enum Kind: Sendable, Hashable {
        /// Statements that decide who can take part.
        case eligibility
        /// A section of the document, of a kind of ``ConsentDocument/Section/kinds``.
        case section(String)
        /// Questions that show whether the text was understood.
        case comprehension
        /// What may be shared.
        case sharing
        /// Whether the participant agrees.
        case agreement
        /// The names, and the drawn signature.
        case signature
    }

    /// What it is about.
    public let kind: Kind
    /// The heading.
    public let title: String
    /// A sentence or two of a section, to be read first.
    public var summary: String?
    /// The whole text of a section, in paragraphs; of the agreement what is agreed to.
    public var text = ""
    /// What is asked.
    public internal(set) var items: [ConsentItem] = []
}

/// Something that a page of a consent document asks.
public struct ConsentItem: Sendable, Hashable, Identifiable {
    /// How it is answered.
    public enum Control: Sendable, Hashable {
        case yesNo
        /// By one of these texts.
        case choice([String])
        /// By a line of text.
        case text
        /// By drawing with a finger.
        case signature
    }

    /// Its path in the answers, as ``ConsentDecision/incomplete(_:)`` has it: `eligibility.adult`.
    public let id: String
    /// What is asked.
    public let label: String
    /// A second line under the label: with whom something is shared.
    public var detail: String?
    /// How it is answered.
    public let control: Control
    /// What is wrong with it.
    public internal(set) var problem: String?
}

/// The words of consent pages that the document does not have.
public struct ConsentWords: Sendable, Hashable {
    /// The heading of the criteria of eligibility.
    public var eligibility = "Can you take part?"
    /// The heading of the questions of comprehension.
    public var comprehension = "Questions about the text"
    /// The heading of what may be shared.
    public var sharing = "What may be shared"
    /// The heading of the agreement.
    public var agreement = "Your decision"
    /// The question of the agreement. `{0}` stands for the document's title.
    public var agrees = "Do you agree to “{0}”?"
    /// The heading of the signature.
    public var signature = "Your signature"
    /// The label of the given name.
    public var givenName = "Given name"
    /// The label of the family name.
    public var familyName = "Family name"
    /// The label of the drawn signature.
    public var drawn = "Signature"
    /// What is said beside what is not answered.
    public var missing = "Please answer this."
    /// What is said beside a drawing that cannot be used.
    public var unusable = "Please sign again: the drawing cannot be used."

    /// The words in English.
    public init() {}

    /// The words in a language, such as `de` or `de-AT`, else in English.
    public static func words(in language: String?) -> ConsentWords {
        language.map { $0.prefix { $0 != "-" } } == "de" ? german : ConsentWords()
    }

    private static let german: ConsentWords = {
        var words = ConsentWords()
        words.eligibility = "Können Sie teilnehmen?"
        words.comprehension = "Fragen zum Text"
        words.sharing = "Was weitergegeben werden darf"
        words.agreement = "Ihre Entscheidung"
        words.agrees = "Stimmen Sie „{0}“ zu?"
        words.signature = "Ihre Unterschrift"
        words.givenName = "Vorname"
        words.familyName = "Nachname"
        words.drawn = "Unterschrift"
        words.missing = "Bitte beantworten Sie das."
        words.unusable = "Bitte unterschreiben Sie noch einmal: Die Zeichnung ist nicht verwendbar."
        return words
    }()
}

extension ConsentDocument {
    /// The pages, in the order in which they are shown: who can take part, the sections, whether they were
    /// understood, what is shared, the decision, the signature. Those without anything are left out.
    public func pages(_ words: ConsentWords) -> [ConsentPage] {
        var pages: [ConsentPage] = []
        func add(_ kind: ConsentPage.Kind, _ title: String, _ items: [ConsentItem]) {
            guard !items.isEmpty else { return }
            var page = ConsentPage(kind: kind, title: title)
            page.items = items
            pages.append(page)
        }
        let criteria = eligibility.map {
            ConsentItem(id: "eligibility.\($0.id)", label: $0.text, control: .yesNo)
        }
        add(.eligibility, words.eligibility, criteria)
        for section in sections where section.kind != "OnlyInDocument" {
            var page = ConsentPage(kind: .section(section.kind), title: section.title)
            page.summary = section.summary
            page.text = section.text
            pages.append(page)
        }
        let questions = comprehension.map {
            ConsentItem(id: "comprehension.\($0.id)", label: $0.text, control: .choice($0.options))
        }
        add(.comprehension, words.comprehension, questions)
        let choices = sharing.map {
            ConsentItem(id: "sharing.\($0.id)", label: $0.text, detail: $0.recipient, control: .yesNo)
        }
        add(.sharing, words.sharing, choices)
        let question = words.agrees.replacing("{0}", with: title)
        add(.agreement, words.agreement, [ConsentItem(id: "agrees", label: question, control: .yesNo)])
        var signature = [
            ConsentItem(id: "givenName", label: words.givenName, control: .text),
            ConsentItem(id: "familyName", label: words.familyName, control: .text),
        ]
        if requiresSignatureImage {
            signature.append(ConsentItem(id: "signature", label: words.drawn, control: .signature))
        }
        add(.signature, words.signature, signature)
        return pages
    }
}
