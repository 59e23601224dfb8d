import Foundation

/// Gives a payload piece by piece.
final class PayloadSource {
    /// In bytes.
    let size: Int
    private let read: (_ position: Int, _ count: Int) throws -> Data
    private var position = 0

    init(_ payload: DurableQueue.Payload) throws {
        switch payload {
        case .data(let data):
            size = data.count
            read = { position, count in data.dropFirst(position).prefix(count) }
        case .bytes(let size, let read):
            (self.size, self.read) = (size, { try read($0, max(0, min($1, size - $0))) })
        case .file(let url):
            let path = url.path(percentEncoded: false)
            do {
                guard let file = try StoredFile(path) else { throw QueueError.badItem("there is no file \(path)") }
                size = file.size
                read = { position, count in
                    let piece = try file.read(at: position, count: count)
                    guard piece.count == min(count, file.size - position) else {
                        throw QueueError.badItem("\(path) became shorter while it was read")
                    }
                    return piece
                }
            } catch let failure as StoredFile.Failure {
                throw QueueError.badItem("\(path) cannot be read: \(failure)")
            }
        }
    }

    /// The next so many bytes; fewer at the end.
    func next(_ count: Int) throws -> Data {
        defer { position += count }
        return try read(position, count)
    }
}
