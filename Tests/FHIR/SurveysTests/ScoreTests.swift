import FHIR
import Foundation
import OrderedJSON
import Surveys
import Testing

struct ScoreTests {
    private static let total = "%resource.item.where(linkId='g').item.answer.value.ordinal().sum()"

    /// Two questions whose options have the same codes and different scores, and a total.
    private static func scored() -> Survey {
        func ordinal(_ score: Int) -> JSONValue {
            [
                [
                    "url": "http://hl7.org/fhir/StructureDefinition/ordinalValue",
                    "valueDecimal": JSONValue(score),
                ]
            ]
        }
        func option(_ code: String, _ score: Int) -> JSONValue {
            ["valueCoding": ["system": "s", "code": JSONValue(code), "extension": ordinal(score)]]
        }
        return survey(
            [
                [
                    "linkId": "g", "type": "group",
                    "item": [
                        [
                            "linkId": "a", "type": "choice",
                            "answerOption": [option("no", 0), option("yes", 1)],
                        ],
                        [
                            "linkId": "b", "type": "choice",
                            "answerOption": [option("no", 3), option("yes", 0)],
                        ],
                        ["linkId": "c", "type": "choice", "answerValueSet": "#v"],
                    ],
                ],
                ["linkId": "total", "type": "decimal", "extension": [expression(calculated, total)]],
            ],
            [
                "contained": [
                    [
                        "resourceType": "ValueSet", "id": "v",
                        "compose": [
                            "include": [
                                [
                                    "system": "s",
                                    "concept": [
                                        ["code": "yes", "extension": ordinal(10)],
                                        ["code": "no", "extension": ordinal(0)],
                                    ],
                                ]
                            ]
                        ],
                    ]
                ]
            ]
        )
    }

    @Test("scores are those of the question that was answered, by options and by value sets")
    func scores() throws {
        var session = SurveySession(Self.scored())
        #expect(session.fill(with: ["a": "yes", "b": "no", "c": "yes"]).isEmpty)
        #expect(session.score(of: session.occurrences(of: "b")[0]) == 3)
        #expect(session.score(of: session.occurrences(of: "g")[0]) == 14)
        #expect(session.answers(of: session.occurrences(of: "total")[0]) == [.decimal(14)])
        // The response has the coding without what was added for the expression.
        #expect(
            session.response().tree["item"]?[0]?["item"]?[2]?["answer"]?[0]?["valueCoding"]?["extension"]
                == nil
        )
    }

    @Test(
        "PHQ-9, GAD-7 and IPSS add up",
        .enabled(if: SharedQuestionnaires.exists, "the shared questionnaires are not there"),
        arguments: [("stanford__PHQ-9", 27), ("stanford__GAD-7", 21), ("stanford__IPSS", 35)]
    )
    func published(name: String, highest: Int) throws {
        var session = SurveySession(Survey(try SharedQuestionnaires.questionnaire(name)))
        for visible in session.visibleItems where visible.item.isQuestion {
            let options = session.options(of: visible.occurrence)
            let best = try #require(options.max { ($0.score?.decimal ?? 0) < ($1.score?.decimal ?? 0) })
            try session.answer(visible.occurrence, with: [best.value])
        }
        #expect(session.score == Decimal(highest))
    }

    @Test(
        "SDC's PHQ-9 calculates its total with weight()",
        .enabled(if: SharedQuestionnaires.exists, "the shared questionnaires are not there")
    )
    func weight() throws {
        var session = SurveySession(
            Survey(
                try SharedQuestionnaires.questionnaire("lforms__calc-weight_phq9-with-the-weight-function")
            )
        )
        var count = 0
        for visible in session.visibleItems where visible.item.type == .choice {
            let options = session.options(of: visible.occurrence)
            guard let option = options.first(where: { $0.score?.decimal == 2 }) else { continue }
            try session.answer(visible.occurrence, with: [option.value])
            count += 1
        }
        #expect(count >= 9)
        let totals = session.survey.items.filter { $0.calculatedExpression != nil }
            .flatMap { session.occurrences(of: $0.linkId) }.map(session.answers)
        #expect(totals == [[.decimal(FHIRDecimal(2 * count))]])
    }
}
