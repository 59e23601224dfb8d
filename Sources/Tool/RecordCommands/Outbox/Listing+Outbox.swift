import Foundation
import IndivoOutbox
import OrderedJSON

extension Listing {
    /// What waits in an outbox. Of the documents themselves it says nothing.
    static func outbox(_ items: [OutboxItem], isSingle: Bool = false) -> Listing {
        let rows = items.map { item in
            let target: String? =
                switch item.target {
                case .document(let id)?: "document \(id)"
                case .item(let id)?: "item \(id)"
                case nil: nil
                }
            let (state, reason, document): (String, String?, String?) =
                switch item.state {
                case .queued: ("queued", nil, nil)
                case .waiting(let blocker): ("waiting", "for item \(blocker)", nil)
                case .setAside(let why): ("set aside", why, nil)
                case .delivered(let id): ("delivered", nil, id)
                }
            return [
                item.id, "\(item.change)", item.model, item.byteCount == 0 ? nil : "\(item.byteCount)",
                item.queuedAt.formatted(.iso8601), state, reason, target, document,
            ].map { JSONValue($0.flatMap { $0.isEmpty ? nil : $0 }) }
        }
        return Listing(
            [
                "id": "item", "change": "change", "model": "model", "size": "bytes", "queued_at": "queued",
                "state": "state",
                "reason": nil, "of": nil, "document": nil,
            ],
            rows,
            isSingle: isSingle
        )
    }
}
