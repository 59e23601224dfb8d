import Foundation
import Indivo
import IndivoOutbox
import IndivoXML
import OrderedJSON

/// What waits in an outbox, for printing. Of the documents themselves it says nothing.
enum OutboxListing {
    private static let columns: [Listing.Column] = [
        .init("id", "item"), .init("change", "change"), .init("model", "model"), .init("size", "bytes"),
        .init("queued_at", "queued"), .init("state", "state"), .init("reason"), .init("of"), .init("document"),
    ]

    static func many(_ items: [OutboxItem]) -> Listing {
        Listing(
            columns: columns, rows: items.map(row), json: { JSONValue(items.map(object)).fileData },
            xml: { try RecordListings.list("Outbox", items.map(element)).file() })
    }

    /// All there is to say of one.
    static func one(_ item: OutboxItem) -> Listing {
        Listing(
            columns: columns.map { .init($0.name, $0.title ?? $0.name) }, rows: [row(item)], isSingle: true,
            json: { object(item).fileData }, xml: { try element(item).file() })
    }

    private static func row(_ item: OutboxItem) -> [String] {
        let target: String? =
            switch item.target {
            case .document(let id)?: "document \(id)"
            case .item(let id)?: "item \(id)"
            case nil: nil
            }
        var (state, reason, document): (String, String?, String?)
        switch item.state {
        case .queued: (state, reason, document) = ("queued", nil, nil)
        case .waiting(let culprit): (state, reason, document) = ("waiting", "for item \(culprit)", nil)
        case .setAside(let why): (state, reason, document) = ("set aside", why, nil)
        case .delivered(let id): (state, reason, document) = ("delivered", nil, id)
        }
        return [
            item.id, "\(item.change)", item.model, item.byteCount == 0 ? nil : "\(item.byteCount)",
            item.queuedAt.formatted(.iso8601), state, reason, target, document,
        ].map { $0 ?? "" }
    }

    private static func object(_ item: OutboxItem) -> JSONValue {
        JSONValue(
            members: zip(columns, row(item)).map { column, value in
                JSONMember(name: column.name, value: value.isEmpty ? .null : JSONValue(value))
            })
    }

    private static func element(_ item: OutboxItem) -> XMLNode {
        let element = XMLNode("Item")
        for (column, value) in zip(columns, row(item)) where !value.isEmpty { element.attr(column.name, value) }
        return element
    }
}

extension OutboxItem {
    var isDelivered: Bool {
        if case .delivered = state { true } else { false }
    }

    var isSetAside: Bool {
        if case .setAside = state { true } else { false }
    }
}
