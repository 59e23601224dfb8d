import Surveys

/// The words of the pages themselves, in a language.
struct PageWords: Sendable {
    var next = "Next"
    var back = "Back"
    var send = "Send answers"
    var begin = "Begin again"
    var add = "Add another"
    var addAnswer = "Add another answer"
    var remove = "Remove"
    var clear = "Clear answer"
    var choose = "Please choose"
    var noOptions = "There is nothing to choose from yet."
    var day = "Day"
    var month = "Month"
    var year = "Year"
    var time = "Time"
    var unit = "Unit"
    var help = "Help"
    var more = "More about this"
    var required = "required"
    var slider = "slider"
    var skip = "Skip to the questions"
    var page = "Page {0} of {1}"
    var answered = "{0} of {1} questions answered"
    var problems = "Please look at these answers"
    var newQuestions = "There are more questions now because of your answers."
    var conflict =
        "This page was saved in another window in the meantime. Below is what you entered here; "
        + "send it again to replace what was saved there."
    var reshaped =
        "This page was changed in another window in the meantime, and rows were added or removed there. "
        + "Below is what was saved; please enter again what you entered here."
    var notAsked =
        "Because of what was saved in another window, some questions that you answered here are not asked "
        + "any more. Their answers are not kept."
    var expired =
        "The server does not have the earlier pages of this response any more. "
        + "What you entered on this page is here; please look at the other pages again."
    var saved = "Your answers are saved page by page. Keep this page's address to go on later."
    var done = "Thank you"
    var doneText = "Your answers were sent. You can close this page."
    var late =
        "These answers were sent before, and what this page sent differs. Nothing was changed. "
        + "Go back to see what you entered, or begin again."
    var unknown = "This response is not here any more, or was never begun."
    var fileTooLarge =
        """
        The files of this response are too large together: at most 10 MB are taken. \
        What was here before is kept.
        """
    var notStored = "Your answers could not be stored. Nothing is lost: try again in a moment."
    var openElsewhere =
        "These answers were opened by another login in the meantime. Open their address again to go on with "
        + "what is saved."
    var refused =
        "The health record does not take these answers. They are kept here; please tell whoever asked you."
    var loginIsOver = "Your login is over. What you saved is kept: log in again to go on."
    var loginFailed = "The login did not succeed. Nothing was read or stored."
    var recordNotReached = "The health record cannot be reached now. Please try again in a moment."
    var logOut = "Log out"
    var logOutText = "What you saved is kept. To go on later you log in again."
    var loggedOut = "You are logged out. You can close this page."
    var foreign = "This form was not sent by this survey's own page. Open the survey again."
    var unusable = "This form cannot be read. Go back and try again."
    var optional = "You may leave out the day, or day and month."
    var nothing = "This survey asks nothing."

    /// The sentences about answers.
    var phrases = SurveyPhrases.english

    static let english = PageWords()

    /// The words of a language, else English.
    static func words(_ language: String?) -> PageWords {
        var words = language.map { $0.prefix { $0 != "-" } } == "de" ? german : english
        words.phrases.language = language
        return words
    }

    private static let german: PageWords = {
        var words = PageWords()
        words.next = "Weiter"
        words.back = "Zurück"
        words.send = "Antworten senden"
        words.begin = "Neu beginnen"
        words.add = "Weiteren Eintrag"
        words.addAnswer = "Weitere Antwort"
        words.remove = "Entfernen"
        words.clear = "Antwort löschen"
        words.choose = "Bitte wählen"
        words.noOptions = "Noch gibt es nichts zur Auswahl."
        words.day = "Tag"
        words.month = "Monat"
        words.year = "Jahr"
        words.time = "Uhrzeit"
        words.unit = "Einheit"
        words.help = "Hilfe"
        words.more = "Mehr dazu"
        words.required = "Pflichtfrage"
        words.slider = "Schieberegler"
        words.skip = "Zu den Fragen"
        words.page = "Seite {0} von {1}"
        words.answered = "{0} von {1} Fragen beantwortet"
        words.problems = "Bitte sehen Sie diese Antworten an"
        words.newQuestions = "Durch Ihre Antworten gibt es weitere Fragen."
        words.saved =
            """
            Ihre Antworten werden Seite für Seite gespeichert. Mit der Adresse dieser Seite können \
            Sie später weitermachen.
            """
        words.done = "Danke"
        words.doneText = "Ihre Antworten wurden gesendet. Sie können diese Seite schließen."
        words.conflict = """
            Diese Seite wurde inzwischen in einem anderen Fenster gespeichert. Unten steht, \
            was Sie hier eingegeben haben; senden Sie es noch einmal, um das dort Gespeicherte zu ersetzen.
            """
        words.reshaped = """
            Diese Seite wurde inzwischen in einem anderen Fenster geändert; dort kamen Zeilen dazu oder \
            fielen weg. Unten steht, was gespeichert ist; bitte geben Sie noch einmal ein, was Sie hier \
            eingegeben haben.
            """
        words.notAsked = """
            Wegen der Antworten aus einem anderen Fenster werden einige Fragen, die Sie hier beantwortet \
            haben, nicht mehr gestellt. Diese Antworten werden nicht aufbewahrt.
            """
        words.expired = """
            Der Server hat die früheren Seiten dieser Antworten nicht mehr. Was Sie auf dieser Seite \
            eingegeben haben, steht hier; bitte sehen Sie die anderen Seiten noch einmal an.
            """
        words.late = """
            Diese Antworten wurden schon gesendet, und diese Seite hat etwas anderes gesendet. \
            Nichts wurde geändert. Gehen Sie zurück, um zu sehen, was Sie eingegeben haben, \
            oder beginnen Sie neu.
            """
        words.unknown = "Diese Antworten sind nicht mehr hier, oder wurden nie begonnen."
        words.fileTooLarge =
            """
            Die Dateien dieser Antworten sind zusammen zu groß: höchstens 10 MB sind möglich. \
            Was vorher da war, bleibt.
            """
        words.notStored =
            """
            Ihre Antworten konnten nicht gespeichert werden. Nichts ist verloren: \
            versuchen Sie es gleich noch einmal.
            """
        words.openElsewhere =
            """
            Diese Antworten wurden inzwischen von einer anderen Anmeldung geöffnet. Öffnen Sie ihre \
            Adresse noch einmal, um mit dem Gespeicherten weiterzumachen.
            """
        words.refused =
            """
            Die Gesundheitsakte nimmt diese Antworten nicht an. Sie bleiben hier gespeichert; bitte sagen \
            Sie es denen, die Sie gefragt haben.
            """
        words.loginIsOver =
            "Ihre Anmeldung ist abgelaufen. Was gespeichert ist, bleibt: melden Sie sich noch einmal an."
        words.loginFailed = "Die Anmeldung ist nicht gelungen. Nichts wurde gelesen oder gespeichert."
        words.recordNotReached =
            "Die Gesundheitsakte ist gerade nicht erreichbar. Bitte versuchen Sie es gleich noch einmal."
        words.logOut = "Abmelden"
        words.logOutText = "Was gespeichert ist, bleibt. Zum Weitermachen melden Sie sich wieder an."
        words.loggedOut = "Sie sind abgemeldet. Sie können diese Seite schließen."
        words.foreign =
            "Dieses Formular kam nicht von einer Seite dieser Umfrage. Öffnen Sie die Umfrage noch einmal."
        words.unusable =
            "Dieses Formular kann nicht gelesen werden. Gehen Sie zurück, und versuchen Sie es noch einmal."
        words.nothing = "Diese Umfrage fragt nichts."
        words.phrases = .german
        words.optional = "Tag, oder Tag und Monat, können leer bleiben."
        return words
    }()

    /// A sentence with numbers.
    static func fill(_ sentence: String, _ numbers: Int...) -> String {
        numbers.enumerated().reduce(sentence) { $0.replacing("{\($1.offset)}", with: String($1.element)) }
    }
}
