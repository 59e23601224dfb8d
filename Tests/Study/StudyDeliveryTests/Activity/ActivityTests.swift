import DurableQueue
import FHIR
import FHIRValidation
import Foundation
import Testing

@testable import StudyDelivery
@testable import StudyFormats

/// Motion samples, their interpretation and the report.
struct ActivityTests {
    private let start = Date(timeIntervalSinceReferenceDate: 700_000_000)
    private func sample(
        _ minute: Double,
        _ kinds: MotionSample.Kinds,
        _ confidence: MotionSample.Confidence = .high
    ) -> MotionSample {
        MotionSample(start: start.addingTimeInterval(minute * 60), kinds: kinds, confidence: confidence)
    }
    private func kinds(_ samples: [MotionSample], minutes: Double) -> [String] {
        MotionInterpretation.stretches(samples, from: start, to: start.addingTimeInterval(minutes * 60)).map {
            "\($0.kind.rawValue) \($0.end.timeIntervalSince($0.start) / 60)"
        }
    }

    @Test("unknown samples are dropped, and neighbours of one kind or in vehicles join")
    func condensing() {
        let condensed = MotionSample.condensed([
            sample(0, .walking, .low), sample(1, .unknown), sample(2, .walking, .high),
            sample(3, .automotive),
            sample(4, [.automotive, .stationary], .low), sample(5, []), sample(6, .stationary),
        ])
        #expect(condensed.map(\.kinds) == [.walking, [.automotive, .stationary], .stationary])
        #expect(condensed.map(\.confidence) == [.high, .high, .high])
    }

    @Test("the documented rules hold")
    func rules() {
        #expect(
            kinds([sample(0, .automotive), sample(4, .walking)], minutes: 10) == [
                "stationary 4.0", "walking 6.0",
            ]
        )
        #expect(
            kinds([sample(0, .automotive), sample(5, .walking)], minutes: 10) == [
                "driving 5.0", "walking 5.0",
            ]
        )
        #expect(
            kinds([sample(0, .running), sample(5, .cycling), sample(6, .walking)], minutes: 10) == [
                "running 6.0", "walking 4.0",
            ]
        )
        #expect(
            kinds([sample(0, .walking), sample(5, .cycling), sample(6, .stationary)], minutes: 10) == [
                "walking 6.0", "stationary 4.0",
            ]
        )
        #expect(
            kinds([sample(0, .stationary), sample(5, .cycling), sample(6, .stationary)], minutes: 10) == [
                "stationary 10.0"
            ]
        )
        #expect(
            kinds([sample(0, .stationary), sample(5, .walking, .low), sample(5.5, .stationary)], minutes: 10)
                == ["stationary 10.0"]
        )
        #expect(kinds([sample(0, [.walking, .cycling])], minutes: 10) == ["cycling 10.0"])
    }

    @Test("three hours at rest are sleep, counted after joining and before cutting")
    func sleep() {
        #expect(kinds([sample(0, .stationary)], minutes: 180) == ["sleeping 180.0"])
        #expect(kinds([sample(0, .stationary)], minutes: 179.9) == ["stationary 179.9"])
        #expect(
            kinds(
                [sample(0, .stationary), sample(90, .walking, .low), sample(90.5, .stationary)],
                minutes: 200
            ) == ["sleeping 200.0"]
        )
        #expect(kinds([sample(-170, .stationary)], minutes: 10) == ["sleeping 10.0"])
        #expect(kinds([], minutes: 10) == [] && kinds([sample(20, .walking)], minutes: 10) == [])
    }

    @Test("the archive keeps days in private files, and ignores the future and equal starts")
    func archive() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "motion-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let archive = MotionArchive(
            in: folder.appending(path: "m"),
            keys: FileKeyStore(folder.appending(path: "key"))
        )
        let now = start.addingTimeInterval(600)
        #expect(try archive.isDue(at: now))
        let samples = [
            sample(0, .walking), sample(2, .running), sample(30, .walking), sample(10_000_000, .cycling),
        ]
        #expect(try archive.add(samples, at: now) == 2)
        #expect(try archive.add([sample(0, .cycling), sample(-1440, .stationary)], at: now) == 0)
        #expect(try archive.samples(from: start, to: now).map(\.kinds) == [.walking, .running])
        #expect(
            try archive.samples(from: start.addingTimeInterval(-86_400), to: now).map(\.kinds) == [
                .stationary, .walking, .running,
            ]
        )
        #expect(try !archive.isDue(at: now.addingTimeInterval(29)))
        #expect(try archive.isDue(at: now.addingTimeInterval(30)))
        // Back to a right clock: what was noted in the future holds nothing up.
        #expect(try archive.isDue(at: now.addingTimeInterval(-100)))
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.appending(path: "m").path) {
            let path = folder.appending(path: "m/\(name)").path
            #expect(
                try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600
            )
        }
        try archive.removeDays(before: start)
        #expect(
            try archive.samples(from: start.addingTimeInterval(-86_400), to: now).map(\.kinds) == [
                .walking, .running,
            ]
        )
    }

    @Test("the report sums up, and response and Observations are valid")
    func report() throws {
        let end = start.addingTimeInterval(3_600)
        let report = ActivityReport(
            from: start,
            to: end,
            samples: [
                .init(kind: .steps, start: start, value: 100), .init(kind: .steps, start: end, value: 7),
                .init(kind: .steps, start: start.addingTimeInterval(60), value: 23),
                .init(kind: .activeEnergy, start: start, value: Decimal(string: "12.5") ?? 0),
            ],
            motion: [sample(0, .walking), sample(20.5, .running)]
        )
        let response = report.response(subject: Reference("Patient/7"))
        #expect(response.issues().filter(\.isError) == [])
        #expect(
            response.item.map(\.linkId) == [
                "healthkit.HKQuantityTypeIdentifierStepCount",
                "healthkit.HKQuantityTypeIdentifierActiveEnergyBurned",
                "motion-coprocessor.walking", "motion-coprocessor.running",
            ]
        )
        #expect(
            response.item.map { $0.answer.first?.value?.quantity?.value?.description } == [
                "123", "12.5", "20.5", "39.5",
            ]
        )
        #expect(response.item.allSatisfy { $0.answer.first?.value?.quantity?.code == nil })
        let observations = report.observations(subject: Reference("Patient/7"))
        #expect(observations.flatMap { $0.issues() }.filter(\.isError) == [] && observations.count == 4)
        let stu3 = report.c3ProResponse(subject: Reference("Patient/7"))
        #expect(
            stu3["context"]?["reference"] == "#period"
                && stu3["questionnaire"]?["reference"] == "org.chip.c3-pro.activity"
        )
        #expect(stu3["encounter"] == nil && stu3["contained"]?[0]?["class"] == nil)
        #expect(
            [600, 601, 606, 660].map { ActivityReport.minutes($0).description } == ["1", "1", "1.01", "1.1"]
        )
    }
}
