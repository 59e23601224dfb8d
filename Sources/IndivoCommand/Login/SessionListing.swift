import Indivo
import OrderedJSON

/// The kept sessions, without their tokens.
enum SessionListing {
    static func listing(of sessions: [IndivoSession]) -> Listing {
        Listing(
            columns: [
                .init("record", "record"), .init("label", "label"), .init("api", "server"), .init("app", "app"),
                .init("kept_at", "since"),
            ],
            rows: sessions.map {
                [$0.record, $0.label ?? "", $0.api.absoluteString, $0.app, XMLDateTime($0.keptAt).lexical]
            },
            json: {
                JSONValue(
                    sessions.map { session in
                        [
                            "record": JSONValue(session.record), "label": JSONValue(session.label),
                            "api": JSONValue(session.api.absoluteString), "app": JSONValue(session.app),
                            "keptAt": JSONValue(XMLDateTime(session.keptAt).lexical),
                        ]
                    }
                ).fileData
            },
            xml: {
                let root = XMLNode("Sessions")
                for session in sessions {
                    let attributes = [
                        "record": session.record, "label": session.label ?? "", "api": session.api.absoluteString,
                        "app": session.app,
                    ]
                    let element = XMLNode("Session")
                    for (name, value) in attributes.sorted(by: { $0.key < $1.key }) { element.attr(name, value) }
                    root.append(element)
                }
                return try root.file()
            })
    }
}
