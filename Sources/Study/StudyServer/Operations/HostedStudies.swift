import Synchronization

/// What serves each of some studies, as soon as it is there.
final class HostedStudies<Service: Sendable>: Sendable {
    /// The studies in their order.
    let names: [StudyName]
    private let services = Mutex<[StudyName: Service]>([:])

    init(_ names: some Collection<StudyName>) { self.names = Set(names).sorted() }

    /// The study of a path's first part; `nil` where no study has that name.
    func name(_ text: String) -> StudyName? { names.first { $0.description == text } }

    subscript(name: StudyName) -> Service? {
        get { services.withLock { $0[name] } }
        set { services.withLock { $0[name] = newValue } }
    }

    /// Those that are there, in their order.
    var all: [(name: StudyName, service: Service)] {
        let services = services.withLock { $0 }
        return names.compactMap { name in services[name].map { (name, $0) } }
    }
}
