import Foundation

@testable import DurableQueue
@testable import IndivoOutbox

private let key: QueueKey = {
    guard let key = QueueKey(bytes: Data(repeating: 7, count: QueueKey.byteCount)) else {
        fatalError("no key")
    }
    return key
}()

private let path = FileManager.default.temporaryDirectory.appending(path: "fuzz-outbox-\(UUID().uuidString)")
    .path

/// Whatever lies in a queue's folder: an error or an item; what was sealed opens as it was, under its own
/// name only. The first byte says what the rest is: a file as it lies on the disk, what was sealed in one, a
/// file's name, or a key.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard count > 1, let start else { return 0 }
    let content = Data(UnsafeBufferPointer(start: start + 2, count: count - 2))
    let kinds: [SealedFile.Kind] = [.queue, .item, .progress, .receipt, .numbers]
    let place = SealedFile.Place(
        kind: kinds[Int(start[1]) % kinds.count],
        queue: Data(repeating: 1, count: 32),
        number: 1
    )
    switch start[0] % 8 {
    case 0: file(content, place)
    case 1: sealed(content, place)
    case 2:
        head(content, QueueEntry.self) {
            OutboxItem(QueueItem(entry: $0, number: 1, state: .queued)).description.isEmpty
        }
    case 3: head(content, QueueProgress.self) { _ in false }
    case 4:
        head(content, QueueReceipt.self) {
            OutboxItem(QueueItem(entry: $0.entry, number: 1, state: .delivered(receipt: $0.receipt)))
                .description.isEmpty
        }
    case 5: head(content, QueuedChange.self) { _ in false }
    case 6: name(String(decoding: content, as: UTF8.self))
    default: keyFile(content)
    }
    return 0
}

private func open(_ content: Data, _ place: SealedFile.Place) -> SealedFile? {
    _ = FileManager.default.createFile(atPath: path, contents: content)
    defer { unlink(path) }
    return try? SealedFile(path, for: place, key: key)
}

private func body(_ file: SealedFile) -> Data? {
    var body = Data()
    return (try? file.readBody { body.append($0) }) == nil ? nil : body
}

/// Nobody without the key makes a file that opens.
private func file(_ content: Data, _ place: SealedFile.Place) {
    if open(content, place) != nil { fatalError("a forged file was taken") }
    // With what every file begins with, and the length that it claims.
    var whole = SealedFile.magic
    whole.append(contentsOf: [SealedFile.version, place.kind.rawValue, 1, 0])
    if open(whole + content, place) != nil { fatalError("a forged file was taken") }
}

private func sealed(_ content: Data, _ place: SealedFile.Place) {
    let middle = content.count / 2
    var file = Data()
    guard let source = try? DurableQueue.Payload.data(content.dropFirst(middle)).open(),
        (try? SealedFile.seal(
            head: content.prefix(middle),
            mark: SealedFile.Mark(),
            for: place,
            key: key,
            body: source.read,
            to: { file.append($0) }
        )) != nil,
        let opened = open(file, place)
    else { fatalError("a sealed file does not open") }
    if opened.head != content.prefix(middle) { fatalError("the head changed") }
    _ = FileManager.default.createFile(atPath: path, contents: file)
    defer { unlink(path) }
    guard let whole = try? SealedFile(path, for: place, key: key), body(whole) == content.dropFirst(middle)
    else {
        fatalError("the body changed")
    }
    let other = SealedFile.Place(kind: place.kind, queue: place.queue, number: 2)
    if open(file, other) != nil { fatalError("a file was taken under another's name") }
    // One bit, anywhere.
    var changed = file
    changed[content.reduce(0) { ($0 &* 31 &+ Int($1)) & 0xFFFF } % file.count] ^= 1
    _ = FileManager.default.createFile(atPath: path, contents: changed)
    if let taken = try? SealedFile(path, for: place, key: key), body(taken) != nil {
        fatalError("a changed file was taken")
    }
}

private func head<Head: Codable>(_ content: Data, _ type: Head.Type, _ isWrong: (Head) -> Bool) {
    guard let head = try? JSONDecoder().decode(type, from: content) else { return }
    if isWrong(head) { fatalError("what was read makes no item") }
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    guard let written = try? encoder.encode(head), let again = try? JSONDecoder().decode(type, from: written),
        (try? encoder.encode(again)) == written
    else { fatalError("what was read cannot be written") }
}

/// A name that is taken is written the same way.
private func name(_ text: String) {
    guard let place = SealedFile.Place(text, of: Data()) else { return }
    if "\(place)" != text || !(1...SealedFile.Place.largestNumber).contains(place.number) {
        fatalError("a foreign name was taken")
    }
}

private func keyFile(_ content: Data) {
    let key = QueueKey(bytes: content)
    if (key != nil) != (content.count == QueueKey.byteCount) {
        fatalError("a key of another length was taken")
    }
    if let key, key.withBytes({ Data($0) }) != content { fatalError("the key changed") }
}
