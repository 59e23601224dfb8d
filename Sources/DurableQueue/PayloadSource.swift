import Foundation

extension DurableQueue.Payload {
    /// Its size in bytes, and what reads it at any position; fewer bytes at the end.
    func open() throws -> (size: Int, read: SealedFile.Source) {
        switch self {
        case .data(let data): return (data.count, { position, count in data.dropFirst(position).prefix(count) })
        case .bytes(let size, let read): return (size, { try read($0, max(0, min($1, size - $0))) })
        case .file(let url):
            let path = url.path(percentEncoded: false)
            do {
                guard let file = try StoredFile(path) else { throw QueueError.badItem("there is no file \(path)") }
                return (file.size, { position, count in
                    let piece = try file.read(at: position, count: count)
                    guard piece.count == min(count, file.size - position) else {
                        throw QueueError.badItem("\(path) became shorter while it was read")
                    }
                    return piece
                })
            } catch let failure as StoredFile.Failure {
                throw QueueError.badItem("\(path) cannot be read: \(failure)")
            }
        }
    }
}
