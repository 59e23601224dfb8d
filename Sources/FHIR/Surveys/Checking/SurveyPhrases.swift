/// The sentences and words of a survey in a language, which the questionnaire does not have. `{0}` and
/// `{1}` stand for numbers and names.
public struct SurveyPhrases: Sendable {
    /// The sentences by key; English where one is missing.
    public var sentences: [String: String]
    /// The language of the questionnaire's own texts, such as `de-AT`; nil for the one that it is written in.
    public var language: String?

    /// Sentences by key, as ``english`` has them.
    public init(_ sentences: [String: String], language: String? = nil) {
        self.sentences = sentences
        self.language = language
    }

    /// The sentences in English.
    public static let english = SurveyPhrases([
        "required": "Please answer this question.",
        "tooFew": "Please give at least {0} answers.",
        "tooFew.group": "At least {0} repetitions are needed.",
        "tooMany": "Please give at most {0} answers.",
        "tooMany.group": "At most {0} repetitions are allowed.",
        "tooLong": "Please enter at most {0} characters.",
        "tooShort": "Please enter at least {0} characters.",
        "pattern": "This does not have the requested form.",
        "pattern.message": "{0}",
        "tooSmall": "The smallest value is {0}.",
        "tooLarge": "The largest value is {0}.",
        "tooManyDecimals": "Please enter at most {0} digits after the decimal point.",
        "unit": "Please use one of the units: {0}.",
        "notAnOption": "This is not one of the options.",
        "exclusiveOption": "This option cannot be chosen together with others.",
        "attachmentTooLarge": "The file is too large: at most {0} MB are allowed.",
        "attachmentSize": "The file says that it has {0} bytes, and has {1}.",
        "attachmentType": "Files of this type are not accepted, only: {0}.",
        "referenceType": "This is not a reference to: {0}.",
        "constraint": "{0}",
        "notEvaluated":
            "A rule of the questionnaire could not be evaluated; the answer was not checked by it.",
        "responseTooLarge":
            "The response has more items and answers than the limit; the others were left out.",
        "malformed": "This value cannot be stored.",
        "wrongType": "The answer is of the type {1}, not {0}.",
        "emptyAnswer": "An answer has no value.",
        "unknownItem": "The questionnaire has no such item.",
        "misplaced": "The item does not belong here.",
        "misplaced.kept": "The item does not belong here; its answers were moved.",
        "repeatedItem": "The answers of a question are in several items.",
        "outOfOrder": "The items are not in the order of the questionnaire.",
        "groupAnswered": "A group or display has an answer.",
        "itemsBesideAnswers": "Items under a question have to be under its answers.",
        "notAsked": "There is an answer to a question that is not asked.",
        "subjectType": "The response is about a {1}; the questionnaire is for: {0}.",
        "wrongQuestionnaire": "The response is for another questionnaire, {0}.",
        "otherVersion": "The response is for version {0} of the questionnaire.",
        "invalidFHIR": "{0}: {1}.",
        "noQuestionnaire": "The response does not say which questionnaire it answers.",
        "yes": "Yes",
        "no": "No",
        "other": "Other",
        "search": "Search",
        "search.short": "Type at least {0} characters of what you look for.",
        "search.searching": "Searching…",
        "search.found": "Found: {0}.",
        "search.more": "There are more than these {0}. Type more to find others.",
        "search.none": "Nothing was found.",
        "search.failed": "The search did not succeed. Please try again in a moment.",
        "unreadable": "This answer cannot be stored.",
        "unreadable.search": "Please search once more, and choose one of the answers that are found.",
        "unreadable.number": "Please enter a number, such as 12 or 1.5, without separators of thousands.",
        "unreadable.integer": "Please enter a whole number, such as 12.",
        "unreadable.date": "Please enter a date, such as 27 3 2024. Day and month may be left out.",
        "unreadable.time": "Please enter a time, such as 14:30.",
    ])

    /// The sentences in German.
    public static let german = SurveyPhrases([
        "required": "Bitte beantworten Sie diese Frage.",
        "tooFew": "Bitte geben Sie mindestens {0} Antworten.",
        "tooFew.group": "Mindestens {0} Einträge werden gebraucht.",
        "tooMany": "Bitte geben Sie höchstens {0} Antworten.",
        "tooMany.group": "Höchstens {0} Einträge sind möglich.",
        "tooLong": "Bitte geben Sie höchstens {0} Zeichen ein.",
        "tooShort": "Bitte geben Sie mindestens {0} Zeichen ein.",
        "pattern": "Das hat nicht die Form, nach der gefragt ist.",
        "tooSmall": "Der kleinste Wert ist {0}.",
        "tooLarge": "Der größte Wert ist {0}.",
        "tooManyDecimals": "Bitte geben Sie höchstens {0} Stellen nach dem Komma ein.",
        "unit": "Bitte verwenden Sie eine der Einheiten: {0}.",
        "notAnOption": "Das gehört nicht zur Auswahl.",
        "exclusiveOption": "Diese Antwort kann nicht zusammen mit anderen gewählt werden.",
        "attachmentTooLarge": "Die Datei ist zu groß: höchstens {0} MB sind möglich.",
        "attachmentSize": "Die Datei gibt {0} Bytes an und hat {1}.",
        "attachmentType": "Dateien dieser Art werden nicht angenommen, nur: {0}.",
        "referenceType": "Das ist kein Verweis auf: {0}.",
        "notEvaluated":
            """
        Eine Regel des Fragebogens konnte nicht ausgewertet werden; die Antwort wurde nach ihr nicht geprüft.
        """,
        "responseTooLarge": "Die Antwort hat mehr Einträge, als angenommen werden; die übrigen fehlen.",
        "malformed": "Dieser Wert kann nicht gespeichert werden.",
        "wrongType": "Die Antwort ist vom Typ {1} und nicht {0}.",
        "emptyAnswer": "Eine Antwort hat keinen Wert.",
        "unknownItem": "Der Fragebogen hat keinen solchen Eintrag.",
        "misplaced": "Der Eintrag gehört nicht hierher.",
        "misplaced.kept": "Der Eintrag gehört nicht hierher; seine Antworten wurden verschoben.",
        "repeatedItem": "Die Antworten einer Frage stehen in mehreren Einträgen.",
        "outOfOrder": "Die Einträge haben eine andere Reihenfolge als im Fragebogen.",
        "groupAnswered": "Eine Gruppe oder ein Text hat eine Antwort.",
        "itemsBesideAnswers": "Was unter einer Frage steht, muss unter ihren Antworten stehen.",
        "notAsked": "Es gibt eine Antwort auf etwas, das nicht gefragt wird.",
        "subjectType": "Die Antwort ist über eine Ressource {1}; der Fragebogen ist für: {0}.",
        "wrongQuestionnaire": "Die Antwort gehört zu einem anderen Fragebogen, {0}.",
        "otherVersion": "Die Antwort gehört zur Version {0} des Fragebogens.",
        "noQuestionnaire": "Die Antwort nennt ihren Fragebogen nicht.",
        "yes": "Ja",
        "no": "Nein",
        "other": "Andere",
        "search": "Suchen",
        "search.short": "Geben Sie mindestens {0} Zeichen von dem ein, was Sie suchen.",
        "search.searching": "Es wird gesucht …",
        "search.found": "Gefunden: {0}.",
        "search.more": "Es gibt mehr als diese {0}. Geben Sie mehr ein, um andere zu finden.",
        "search.none": "Es wurde nichts gefunden.",
        "search.failed": "Die Suche ist nicht gelungen. Bitte versuchen Sie es gleich noch einmal.",
        "unreadable": "Diese Antwort kann nicht gespeichert werden.",
        "unreadable.search": "Bitte suchen Sie noch einmal, und wählen Sie etwas Gefundenes aus.",
        "unreadable.number":
            "Bitte geben Sie eine Zahl ein, wie 12 oder 1,5, ohne Punkte zwischen Tausendern.",
        "unreadable.integer": "Bitte geben Sie eine ganze Zahl ein, wie 12.",
        "unreadable.date":
            "Bitte geben Sie ein Datum ein, wie 27 3 2024. Tag und Monat können leer bleiben.",
        "unreadable.time": "Bitte geben Sie eine Uhrzeit ein, wie 14:30.",
    ])

    /// The sentences in a language, such as `de` or `de-AT`, else in English.
    public static func phrases(in language: String?) -> SurveyPhrases {
        var phrases = language.map { $0.prefix { $0 != "-" } } == "de" ? german : english
        phrases.language = language
        return phrases
    }

    package func sentence(_ key: String, _ arguments: [String] = []) -> String {
        var text = sentences[key] ?? Self.english.sentences[key] ?? key
        // From the last on, so that an argument with braces is not filled in again.
        for (index, argument) in arguments.enumerated().reversed() {
            text = text.split(separator: "{\(index)}", omittingEmptySubsequences: false).joined(
                separator: argument
            )
        }
        return text
    }
}
