import FHIR
import Foundation
import OrderedJSON
import StudyWarehouse

/// Opens messages: decrypts them, validates their resources and maps them. It writes nothing.
struct MessageReader: Sendable {
    let keys: CurrentKeys
    let mapper: ResponseMapper
    let results: TaskResults
    /// What the warehouse keeps of resources.
    let disclosure: Disclosure

    /// Opens messages on all cores.
    ///
    /// - Parameter storage: Where the warehouse has samples.
    /// - Returns: The opened messages, in order; an error is one of the machine, such as a full disk.
    func open(
        _ messages: [MessageToLoad],
        _ storage: SampleStorage
    ) async -> [Result<OpenedMessage, any Error>] {
        await withTaskGroup(of: (Int, Result<OpenedMessage, any Error>).self) { group in
            var opened: [Result<OpenedMessage, any Error>?] = Array(repeating: nil, count: messages.count)
            var next = messages.indices.makeIterator()
            func openNext() {
                guard let index = next.next() else { return }
                group.addTask { (index, Result { try open(messages[index], storage) }) }
            }
            for _ in 0..<ProcessInfo.processInfo.activeProcessorCount { openNext() }
            while let (index, result) = await group.next() {
                opened[index] = result
                openNext()
            }
            return opened.compactMap { $0 }
        }
    }

    private func open(_ origin: MessageToLoad, _ storage: SampleStorage) throws -> OpenedMessage {
        var resources: [JSONValue] = []
        do {
            // Devices are not a participant's data: the Observations have what matters about them.
            resources = try self.resources(of: origin.message).filter {
                $0["resourceType"]?.string != "Device"
            }
            return OpenedMessage(origin: origin, read: .success(try intakes(of: resources, origin, storage)))
        } catch let error where error is ProcessingError || error is MappingError {
            let problem = MessageProblem(
                reason: "\(error)",
                participants: Intake.participants(of: resources)
            )
            return OpenedMessage(origin: origin, read: .failure(problem))
        }
    }

    /// The resources of a message, also where its key came after this consumer had started.
    private func resources(of message: StudyMessage) throws -> [JSONValue] {
        do {
            return try MessageOpening(keys: keys.ring, results: results).resources(of: message)
        } catch let error as ProcessingError where error.mayOpenWithAnotherKey {
            guard keys.renew() else { throw error }
            return try MessageOpening(keys: keys.ring, results: results).resources(of: message)
        }
    }

    private func intakes(of resources: [JSONValue], _ origin: MessageToLoad, _ storage: SampleStorage)
        throws -> [Intake]
    {
        let message = origin.message
        let received = FHIRDateTime(text: message.received) ?? FHIRDateTime(Date())
        lazy var splitter = SampleSplitter(disclosure)
        var forms = SampleForms(received: received)
        // The intake that each form was made from.
        var models: [Int: Intake] = [:]
        let intakes = try resources.enumerated().map { index, resource in
            if let (sample, form) = forms.sample(resource), let model = models[form] {
                return Intake(resource, sample, like: model, mapper: mapper, received: received)
            }
            var intake = try Intake(
                resource,
                visit: resources.count == 1 ? message.id : "\(message.id)#\(index)",
                received: received,
                mapper: mapper,
                owner: message.subject.map(Intake.digest) ?? origin.owner,
                phoneID: message.subject
            )
            if storage == .table { intake.split(by: &splitter, received: received) }
            if let sample = intake.sample,
                let form = forms.add(resource, sample, phoneID: intake.phoneID)
            {
                models[form] = intake
            }
            return intake
        }
        guard Intake.participants(in: intakes).count <= 1 else {
            throw ProcessingError.subjects("it names several participants")
        }
        return intakes.count > 1 ? MessageVisits.newest(of: intakes) : intakes
    }
}
