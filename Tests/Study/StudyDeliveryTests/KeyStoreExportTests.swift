import StudyDelivery
import Testing

@Suite struct KeyStoreExportTests {
    @Test("a key of the queue is public in the module and has thirty-two bytes")
    func queueKey() {
        #expect(QueueKey(bytes: [UInt8](repeating: 7, count: 31)) == nil)
        #expect(QueueKey(bytes: [UInt8](repeating: 7, count: 32)) != nil)
    }
}
