import Foundation
@testable import IndivoOutbox

private let key: QueueKey = {
    guard let key = QueueKey(bytes: Data(repeating: 7, count: QueueKey.byteCount)) else { fatalError("no key") }
    return key
}()

/// Whatever lies in an outbox's folder: an error or an item; what was sealed opens as it was, in its own place only. The
/// first byte says what the rest is: a file as it lies on the disk, what was sealed in one, or a key.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard count > 1, let start else { return 0 }
    let content = Data(UnsafeBufferPointer(start: start + 2, count: count - 2))
    let kinds: [SealedFile.Kind] = [.folder, .item, .progress, .receipt]
    let place = SealedFile.Place(kind: kinds[Int(start[1]) % 4], outbox: Data(repeating: 1, count: 32), sequence: 1)
    switch start[0] % 6 {
    case 0: file(content, place)
    case 1: sealed(content, place)
    case 2: head(content, Entry.self) { OutboxItem($0, 1, .queued).description.isEmpty }
    case 3: head(content, Progress.self) { _ in false }
    case 4: head(content, Receipt.self) { OutboxItem($0.entry, 1, .delivered(document: $0.document)).description.isEmpty }
    default: keyFile(content)
    }
    return 0
}

/// Nobody without the key makes a file that opens.
private func file(_ content: Data, _ place: SealedFile.Place) {
    if (try? SealedFile(content, for: place, key: key)) != nil { fatalError("a forged file was taken") }
    // With what every file begins with, and the length that it claims.
    var whole = Data("IVOX".utf8)
    whole.append(contentsOf: [1, place.kind.rawValue, 0, 0])
    if (try? SealedFile(whole + content, for: place, key: key)) != nil { fatalError("a forged file was taken") }
}

private func sealed(_ content: Data, _ place: SealedFile.Place) {
    let middle = content.count / 2
    guard
        let file = try? SealedFile.seal(
            head: content.prefix(middle), body: content.dropFirst(middle), for: place, key: key),
        let opened = try? SealedFile(file, for: place, key: key), let body = try? opened.body()
    else { fatalError("a sealed file does not open") }
    if opened.head != content.prefix(middle) || body != content.dropFirst(middle) { fatalError("the content changed") }
    let other = SealedFile.Place(kind: place.kind, outbox: place.outbox, sequence: 2)
    if (try? SealedFile(file, for: other, key: key)) != nil { fatalError("a file was taken in another's place") }
    // One bit, anywhere.
    var changed = file
    changed[content.reduce(0) { ($0 &* 31 &+ Int($1)) & 0xFFFF } % file.count] ^= 1
    if let taken = try? SealedFile(changed, for: place, key: key), (try? taken.body()) != nil {
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

private func keyFile(_ content: Data) {
    let key = QueueKey(bytes: content)
    if (key != nil) != (content.count == QueueKey.byteCount) { fatalError("a key of another length was taken") }
    if let key, key.withBytes({ Data($0) }) != content { fatalError("the key changed") }
}
