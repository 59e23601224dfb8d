import IndivoBase

/// The name of an occurrence, the same after a restart: its linkId, and the numbers of the repetitions and
/// answers that it is in. Letters, digits and `-._~:`, so that it is an id of HTML and a fragment of a URL.
package struct ItemKey: Sendable, Hashable {
    package let text: String
    private let numbers: String

    static let root = ItemKey(text: "", numbers: "")

    private init(text: String, numbers: String) {
        self.text = text
        self.numbers = numbers
    }

    /// The key of an occurrence in a group or under an answer.
    func child(_ item: SurveyItem, isFirstOfLinkId: Bool, repetition: Int) -> ItemKey {
        let own = item.isGroup && item.repeats ? numbers + "\(repetition)." : numbers
        let name = isFirstOfLinkId ? Self.encoded(item.linkId) : "~item\(item.index)"
        return ItemKey(text: own.isEmpty ? name : "\(own):\(name)", numbers: own)
    }

    /// The key that what is under an answer begins with.
    func answer(_ index: Int) -> ItemKey { ItemKey(text: text, numbers: numbers + "a\(index).") }

    /// The item of which something with this key is an occurrence.
    package static func item(of key: String, in survey: Survey) -> SurveyItem? {
        let name = key.split(separator: ":", omittingEmptySubsequences: false).last ?? ""
        if name.hasPrefix("~item"), let index = Int(name.dropFirst(5)) {
            return survey.items.indices.contains(index) ? survey.items[index] : nil
        }
        let linkId = try? PercentEncoding.decode(String(name).replacing("~", with: "%"))
        return linkId.flatMap { survey.item($0) }
    }

    private static func encoded(_ linkId: String) -> String {
        PercentEncoding.encode(linkId).replacing("~", with: "%7E").replacing("%", with: "~")
    }
}
