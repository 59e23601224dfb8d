import StudyDelivery
import Testing

@Suite struct KeyStoreExportTests {
    @Test func aKeyOfTheQueueIsReachableThroughTheModuleAndHasThirtyTwoBytes() {
        #expect(QueueKey(bytes: [UInt8](repeating: 7, count: 31)) == nil)
        #expect(QueueKey(bytes: [UInt8](repeating: 7, count: 32)) != nil)
    }
}
