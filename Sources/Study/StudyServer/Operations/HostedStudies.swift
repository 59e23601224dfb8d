import Synchronization
import WebServing

/// What serves each of some studies, as soon as it is there.
final class HostedStudies<Service: Sendable>: Sendable {
    /// The studies in their order.
    let names: [StudyName]
    private let services = Mutex<[StudyName: Service]>([:])
    /// For each study, how many look at its state at once.
    private let looks: [StudyName: Slots]

    /// How long a study may take to tell its state.
    private let patience: Duration

    init(_ names: some Collection<StudyName>, patience: Duration = .seconds(5)) {
        self.names = Set(names).sorted()
        self.patience = patience
        looks = Dictionary(firstOf: self.names.map { ($0, Slots(16)) })
    }

    /// The study of a path's first part; `nil` where no study has that name.
    func name(_ text: String) -> StudyName? { names.first { $0.description == text } }

    subscript(name: StudyName) -> Service? {
        get { services.withLock { $0[name] } }
        set { services.withLock { $0[name] = newValue } }
    }

    /// What each study that is there tells of itself, asked all at once, in their order. One that does not
    /// respond, or throws, has `nil`, and keeps no other waiting.
    func asked<Value: Sendable>(
        _ question: @escaping @Sendable (Service) async throws -> Value
    ) async -> [(name: StudyName, value: Value?)] {
        let services = services.withLock { $0 }
        let answers = await withTaskGroup(of: (StudyName, Value?).self) { group in
            for (name, service) in services {
                group.addTask { [looks, patience] in
                    guard let look = looks[name], look.enter() else { return (name, nil) }
                    let answer = await result(within: patience) {
                        defer { look.leave() }
                        return try? await question(service)
                    }
                    return (name, answer ?? nil)
                }
            }
            return await group.reduce(into: [:]) { $0.updateValue($1.1, forKey: $1.0) }
        }
        return names.compactMap { name in answers[name].map { (name, $0) } }
    }

    /// The metrics that the studies tell of themselves. Of one that does not, the health says that it fails.
    func metrics(_ text: @escaping @Sendable (Service) async throws -> String) async -> Response {
        let told = await asked(text)
        return MetricsText.response(MetricsText.merged(told.map { ($0.name.description, $0.value ?? "") }))
    }
}
