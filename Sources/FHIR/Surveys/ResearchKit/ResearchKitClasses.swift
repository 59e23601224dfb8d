/// A class of ResearchKit, as its serializer writes it.
struct ResearchKitClass: Sendable {
    let name: String
    /// The class whose members it has, too.
    let parent: String?
    let members: [Member]

    struct Member: Sendable {
        let name: String
        let kind: Kind
        let isRequired: Bool
    }

    indirect enum Kind: Sendable, Hashable {
        case text, number, flag, date, time, image, pattern, object, any
        /// One of some words; ResearchKit takes another for the first.
        case word([String])
        case list(Kind)
        /// An object whose members have any names.
        case map(Kind)
        /// An instance of a class, or of one below it.
        case instance(String)

        init(_ text: Substring) {
            let words: [Substring: Kind] = [
                "text": .text, "number": .number, "flag": .flag, "date": .date, "time": .time,
                "image": .image, "pattern": .pattern, "object": .object, "any": .any,
            ]
            if let word = words[text] {
                self = word
            } else if text.hasPrefix("[") {
                self = .list(Kind(text.dropFirst().dropLast()))
            } else if text.hasPrefix("{") {
                self = .map(Kind(text.dropFirst().dropLast()))
            } else if text.hasPrefix("ORK") {
                self = .instance(String(text))
            } else {
                self = .word(text.split(separator: "|").map(String.init))
            }
        }
    }

    /// The classes of tasks and of what is in them, by name.
    static let all: [String: ResearchKitClass] = read(table)

    /// Lines: a class with the one above it, and behind them its members: `name:kind`, `name!:kind` for one
    /// without which ResearchKit makes nothing.
    private static func read(_ table: String) -> [String: ResearchKitClass] {
        var found: [String: ResearchKitClass] = [:]
        var current: (name: String, parent: String?, members: [Member])?
        func end() {
            guard let current else { return }
            found[current.name] = ResearchKitClass(
                name: current.name,
                parent: current.parent,
                members: current.members
            )
        }
        for line in table.split(separator: "\n") where !line.hasPrefix("#") {
            let words = line.split(separator: " ")
            if line.hasPrefix(" ") {
                current?.members += words.map { word in
                    let parts = word.split(separator: ":", maxSplits: 1)
                    let isRequired = parts[0].hasSuffix("!")
                    let name = isRequired ? parts[0].dropLast() : parts[0]
                    return Member(name: String(name), kind: Kind(parts[1]), isRequired: isRequired)
                }
            } else {
                end()
                current = (String(words[0]), words.count > 1 ? String(words[1]) : nil, [])
            }
        }
        end()
        return found
    }

    /// The members, with those of the classes above.
    var allMembers: [Member] {
        let above = parent.flatMap { Self.all[$0] }?.allMembers ?? []
        let own = Set(members.map(\.name))
        return above.filter { !own.contains($0.name) } + members
    }

    /// Whether it is a class or one below it.
    func isA(_ name: String) -> Bool {
        self.name == name || (parent.flatMap { Self.all[$0] }?.isA(name) ?? false)
    }

    /// The classes that an instance of this one may have, by name.
    static func descendants(of name: String) -> [String] {
        all.values.filter { $0.isA(name) }.map(\.name).sorted()
    }

    private static let table = """
        # Tasks
        ORKOrderedTask
            identifier!:text steps:[ORKStep]
        ORKNavigableOrderedTask ORKOrderedTask
            stepNavigationRules:{ORKStepNavigationRule} skipStepNavigationRules:{ORKSkipStepNavigationRule}
            stepModifiers:{ORKStepModifier} shouldReportProgress:flag
        # Rules
        ORKFormItemVisibilityRule
        ORKSkipStepNavigationRule
        ORKStepModifier
        ORKStepNavigationRule
        ORKAudioLevelNavigationRule ORKStepNavigationRule
            audioLevelStepIdentifier:text destinationStepIdentifier:text recordingSettings:object
        ORKDirectStepNavigationRule ORKStepNavigationRule
            destinationStepIdentifier!:text
        ORKKeyValueStepModifier ORKStepModifier
            resultPredicateFormat:text keyValueMap:object
        ORKPredicateFormItemVisibilityRule ORKFormItemVisibilityRule
            predicateFormat!:text
        ORKPredicateStepNavigationRule ORKStepNavigationRule
            resultPredicateFormats!:[text] destinationStepIdentifiers!:[text] defaultStepIdentifier:text
            additionalTaskResults:[any]
        # Steps
        ORKStep
            identifier!:text optional:flag title:text text:text detailText:text headerTextAlignment:number
            footnote:text shouldTintImages:flag useSurveyMode:flag bodyItems:[ORKBodyItem]
            imageContentMode:number iconImage:image auxiliaryImage:image image:image
            bodyItemTextAlignment:number buildInBodyItems:flag useExtendedPadding:flag
            earlyTerminationConfiguration:ORKEarlyTerminationConfiguration
            shouldAutomaticallyAdjustImageTintColor:flag
        ORKActiveStep ORKStep
            stepDuration:number shouldShowDefaultTimer:flag shouldSpeakCountDown:flag
            shouldSpeakRemainingTimeAtHalfway:flag shouldStartTimerAutomatically:flag
            shouldPlaySoundOnStart:flag shouldPlaySoundOnFinish:flag shouldVibrateOnStart:flag
            shouldVibrateOnFinish:flag shouldUseNextAsSkipButton:flag shouldContinueOnFinish:flag
            spokenInstruction:text finishedSpokenInstruction:text
            recorderConfigurations:[ORKRecorderConfiguration]
        ORKConsentReviewStep ORKStep
            consentDocument:ORKConsentDocument reasonForConsent:text signature:ORKConsentSignature
            requiresScrollToBottom:flag
        ORKFamilyHistoryStep ORKStep
            conditionStepConfiguration:ORKConditionStepConfiguration relativeGroups:[ORKRelativeGroup]
        ORKFormStep ORKStep
            formItems:[ORKFormItem] footnote:text useCardView:flag autoScrollEnabled:flag footerText:text
            cardViewStyle:number
        ORKImageCaptureStep ORKStep
            templateImageInsets:any accessibilityHint:text accessibilityInstructions:text captureRaw:flag
            templateImage:image
        ORKInstructionStep ORKStep
            detailText:text footnote:text centerImageVertically:flag
        ORKPDFViewerStep ORKStep
            pdfURL:any actionBarOption:number
        ORKPageStep ORKStep
            pageTask:ORKOrderedTask
        ORKPasscodeStep ORKStep
            passcodeType:number useBiometrics:flag passcodeFlow:number
        ORKQuestionStep ORKStep
            answerFormat:ORKAnswerFormat placeholder:text question:text useCardView:flag
            learnMoreItem:ORKLearnMoreItem tagText:text presentationStyle:text
        ORKRequestPermissionsStep ORKStep
            permissionTypes:[any]
        ORKReviewStep ORKStep
            steps:[ORKStep] resultSource:any excludeInstructionSteps:flag
        ORKSignatureStep ORKStep
        ORKTableStep ORKStep
            items:[any] isBulleted:flag bulletIconNames:[text] allowsSelection:flag bulletType:number
            pinNavigationContainer:flag bottomPadding:number
        ORKVerificationStep ORKStep
            verificationViewControllerString:text
        ORKVideoCaptureStep ORKStep
            templateImageInsets:any duration:number audioMute:flag torchMode:number devicePosition:number
            accessibilityHint:text accessibilityInstructions:text templateImage:image
        ORKWaitStep ORKStep
            indicatorType:number
        ORKWebViewStep ORKStep
            html:text instructionSteps:[ORKInstructionStep] customCSS:text showSignatureAfterContent:flag
        ORK3DModelStep ORKActiveStep
            modelManager:any
        ORKAccuracyStroopStep ORKActiveStep
            isColorMatching:flag baseDisplayColor:any
        ORKAmslerGridStep ORKActiveStep
            eyeSide:number
        ORKAudioStep ORKActiveStep
            useRecordButton:flag
        ORKCompletionStep ORKInstructionStep
            reasonForCompletion:number
        ORKConsentSharingStep ORKQuestionStep
            localizedLearnMoreHTMLContent:text
        ORKCountdownStep ORKActiveStep
        ORKEnvironmentSPLMeterStep ORKActiveStep
            thresholdValue:number samplingInterval:number requiredContiguousSamples:number
        ORKFitnessStep ORKActiveStep
            userInfo:object
        ORKFrontFacingCameraStep ORKActiveStep
            maximumRecordingLimit:number allowsReview:flag allowsRetry:flag
        ORKHolePegTestPlaceStep ORKActiveStep
            movingDirection:number dominantHandTested:flag numberOfPegs:number threshold:number rotated:flag
        ORKHolePegTestRemoveStep ORKActiveStep
            movingDirection:number dominantHandTested:flag numberOfPegs:number threshold:number
        ORKLearnMoreInstructionStep ORKInstructionStep
        ORKLoginStep ORKFormStep
            loginViewControllerString:text
        ORKNavigablePageStep ORKPageStep
            pageTask:ORKOrderedTask
        ORKNormalizedReactionTimeStep ORKActiveStep
            maximumStimulusInterval:number minimumStimulusInterval:number timeout:number
            numberOfAttempts:number thresholdAcceleration:number successSound:number timeoutSound:number
            failureSound:number currentInterval:number
        ORKPSATStep ORKActiveStep
            presentationMode:number interStimulusInterval:number stimulusDuration:number seriesLength:number
        ORKRangeOfMotionStep ORKActiveStep
            limbOption:number
        ORKReactionTimeStep ORKActiveStep
            maximumStimulusInterval:number minimumStimulusInterval:number timeout:number
            numberOfAttempts:number thresholdAcceleration:number successSound:number timeoutSound:number
            failureSound:number
        ORKRegistrationStep ORKFormStep
            options:number
        ORKSecondaryTaskStep ORKInstructionStep
            secondaryTask:ORKOrderedTask secondaryTaskButtonTitle:text nextButtonTitle:text
            requiredAttempts:number
        ORKSpatialSpanMemoryStep ORKActiveStep
            initialSpan:number minimumSpan:number maximumSpan:number playSpeed:number maximumTests:number
            maximumConsecutiveFailures:number requireReversal:flag customTargetPluralName:text
            customTargetImage:image
        ORKSpeechInNoiseStep ORKActiveStep
            speechFilePath:text targetSentence:text speechFileNameWithExtension:text
            noiseFileNameWithExtension:text filterFileNameWithExtension:text gainAppliedToNoise:number
            willAudioLoop:flag hideGraphView:flag
        ORKSpeechRecognitionStep ORKActiveStep
            shouldHideTranscript:flag speechRecognitionText:text speechRecognizerLocale:text
        ORKStroopStep ORKActiveStep
            numberOfAttempts:number
        ORKTappingIntervalStep ORKActiveStep
        ORKTimedWalkStep ORKActiveStep
            distanceInMeters:number
        ORKToneAudiometryStep ORKActiveStep
            toneDuration:number practiceStep:flag
        ORKTouchAnywhereStep ORKActiveStep
        ORKTowerOfHanoiStep ORKActiveStep
            numberOfDisks:number
        ORKTrailmakingStep ORKActiveStep
            trailType:text
        ORKVideoInstructionStep ORKInstructionStep
            videoURL:any thumbnailTime:number bundleAsset:ORKBundleAsset
        ORKWalkingTaskStep ORKActiveStep
            numberOfStepsPerLeg:number
        ORKdBHLToneAudiometryOnboardingStep ORKFormStep
            useCardView:flag
        ORKdBHLToneAudiometryStep ORKActiveStep
            toneDuration:number maxRandomPreStimulusDelay:number postStimulusDelay:number
            maxNumberOfTransitionsPerFrequency:number initialdBHLValue:number dBHLStepUpSize:number
            dBHLStepUpSizeFirstMiss:number dBHLStepUpSizeSecondMiss:number dBHLStepUpSizeThirdMiss:number
            dBHLStepDownSize:number dBHLMinimumThreshold:number headphoneType:text earPreference:number
            frequencyList:any
        ORKAudioFitnessStep ORKFitnessStep
            audioAsset:ORKBundleAsset vocalCues:[ORKVocalCue]
        # Answer formats
        ORKAnswerFormat
            showDontKnowButton:flag customDontKnowButtonText:text dontKnowButtonStyle:number
        ORKAgeAnswerFormat ORKAnswerFormat
            minimumAge:number maximumAge:number minimumAgeCustomText:text maximumAgeCustomText:text
            showYear:flag useYearForResult:flag treatMinAgeAsRange:flag treatMaxAgeAsRange:flag
            relativeYear:number defaultValue:number
        ORKBooleanAnswerFormat ORKAnswerFormat
            yes:text no:text
        ORKColorChoiceAnswerFormat ORKAnswerFormat
            style:singleChoice|multipleChoice colorChoices:[ORKColorChoice]
        ORKContinuousScaleAnswerFormat ORKAnswerFormat
            minimum!:number maximum!:number defaultValue:number maximumFractionDigits:number vertical:flag
            numberStyle:default|percent maximumValueDescription:text minimumValueDescription:text
            gradientColors:[any] gradientLocations:[number] hideSelectedValue:flag hideRanges:flag
            hideLabels:flag minimumImage:image maximumImage:image
        ORKDateAnswerFormat ORKAnswerFormat
            style:dateTime|date calendar:text minimumDate:date maximumDate:date defaultDate:date
            minuteInterval:number daysBeforeCurrentDateToSetMinimumDate:number
            daysAfterCurrentDateToSetMinimumDate:number isMaxDateCurrentTime:flag
        ORKEmailAnswerFormat ORKAnswerFormat
            usernameField:flag
        ORKHealthKitCharacteristicTypeAnswerFormat ORKAnswerFormat
            characteristicType:any defaultDate:date minimumDate:date maximumDate:date calendar:text
            shouldRequestAuthorization:flag
        ORKHealthKitQuantityTypeAnswerFormat ORKAnswerFormat
            unit:any quantityType:any numericAnswerStyle:decimal|integer shouldRequestAuthorization:flag
        ORKHeightAnswerFormat ORKAnswerFormat
            measurementSystem:local|metric|USC
        ORKImageChoiceAnswerFormat ORKAnswerFormat
            imageChoices!:[ORKImageChoice] style:singleChoice|multipleChoice vertical:flag
        ORKLocationAnswerFormat ORKAnswerFormat
            useCurrentLocation:flag placeholder:text
        ORKMultipleValuePickerAnswerFormat ORKAnswerFormat
            valuePickers!:[ORKValuePickerAnswerFormat] separator:text
        ORKNumericAnswerFormat ORKAnswerFormat
            style:decimal|integer unit:text displayUnit:text minimum:number maximum:number
            maximumFractionDigits:number defaultNumericAnswer:number hideUnitWhenAnswerIsEmpty:flag
            placeholder:text
        ORKSESAnswerFormat ORKAnswerFormat
            topRungText:text bottomRungText:text
        ORKScaleAnswerFormat ORKAnswerFormat
            minimum!:number maximum!:number defaultValue:number step!:number vertical:flag
            maximumValueDescription:text minimumValueDescription:text gradientColors:[any]
            gradientLocations:[number] hideSelectedValue:flag hideRanges:flag hideLabels:flag
            hideValueMarkers:flag minimumImage:image maximumImage:image
        ORKTextAnswerFormat ORKAnswerFormat
            maximumLength:number validationRegularExpression:pattern invalidMessage:text
            defaultTextAnswer:text autocapitalizationType:number autocorrectionType:number
            spellCheckingType:number keyboardType:number multipleLines:flag hideClearButton:flag
            hideCharacterCountLabel:flag secureTextEntry:flag textContentType:text passwordRules:any
            placeholder:text
        ORKTextChoiceAnswerFormat ORKAnswerFormat
            style:singleChoice|multipleChoice textChoices!:[ORKTextChoice]
        ORKTextScaleAnswerFormat ORKAnswerFormat
            textChoices!:[ORKTextChoice] defaultIndex:number vertical:flag gradientColors:[any]
            gradientLocations:[number] hideSelectedValue:flag hideRanges:flag hideLabels:flag
            hideValueMarkers:flag
        ORKTimeIntervalAnswerFormat ORKAnswerFormat
            defaultInterval:number step:number
        ORKTimeOfDayAnswerFormat ORKAnswerFormat
            defaultComponents:time minuteInterval:number
        ORKValuePickerAnswerFormat ORKAnswerFormat
            textChoices!:[ORKTextChoice]
        ORKWeightAnswerFormat ORKAnswerFormat
            measurementSystem:local|metric|USC numericPrecision:number minimumValue:number
            maximumValue:number defaultValue:number
        ORKConfirmTextAnswerFormat ORKTextAnswerFormat
            originalItemIdentifier!:text errorMessage:text maximumLength:number
        # What is in steps and formats
        ORKBodyItem
            text:text detailText:text bodyItemStyle:number image:image learnMoreItem:ORKLearnMoreItem
            useCardStyle:flag useSecondaryColor:flag alignImageToTop:flag
        ORKBundleAsset
            name:text bundleIdentifier:text fileExtension:text
        ORKColorChoice
            text:text detailText:text value:any exclusive:flag color:any
        ORKConditionStepConfiguration
            stepIdentifier:text conditionsFormItemIdentifier:text conditions:[ORKHealthCondition]
            formItems:[ORKFormItem]
        ORKConsentDocument
            title:text sections:[ORKConsentSection] signaturePageTitle:text signaturePageContent:text
            signatures:[ORKConsentSignature] htmlReviewContent:text
        ORKConsentSection
            type:number title:text formalTitle:text summary:text content:text htmlContent:text
            contentURL:any customLearnMoreButtonTitle:text customAnimationURL:any omitFromDocument:flag
            customImage:image
        ORKConsentSignature
            identifier:text title:text givenName:text familyName:text signatureDate:text requiresName:flag
            requiresSignatureImage:flag signatureDateFormatString:text signatureImage:image
        ORKEarlyTerminationConfiguration
            buttonText:text earlyTerminationStep:ORKStep
        ORKFormItem
            identifier!:text optional:flag showsProgress:flag text:text detailText:text placeholder:text
            answerFormat:ORKAnswerFormat learnMoreItem:ORKLearnMoreItem tagText:text
            visibilityRule:ORKFormItemVisibilityRule
        ORKHealthCondition
            identifier:text displayName:text value:any
        ORKImageChoice
            text:text value!:any normalStateImage:image selectedStateImage:image
        ORKLearnMoreItem
            text:text learnMoreInstructionStep:ORKLearnMoreInstructionStep
        ORKRecorderConfiguration
            identifier!:text outputDirectory:any rollingFileSizeThreshold:number
        ORKRelativeGroup
            identifier:text name:text sectionTitle:text sectionDetailText:text identifierForCellTitle:text
            maxAllowed:number formSteps:[ORKFormStep] detailTextIdentifiers:[text]
        ORKTextChoice
            text!:text value!:any detailText:text exclusive:flag image:image
        ORKVocalCue
            time:number spokenText:text
        ORKAccelerometerRecorderConfiguration ORKRecorderConfiguration
            frequency:number
        ORKAudioRecorderConfiguration ORKRecorderConfiguration
            recorderSettings:object
        ORKAudioStreamerConfiguration ORKRecorderConfiguration
        ORKDeviceMotionRecorderConfiguration ORKRecorderConfiguration
            frequency:number rollingFileSizeThreshold:number
        ORKHealthClinicalTypeRecorderConfiguration ORKRecorderConfiguration
            healthClinicalType:any healthFHIRResourceType:text
        ORKHealthQuantityTypeRecorderConfiguration ORKRecorderConfiguration
            quantityType:any unit:any
        ORKLocationRecorderConfiguration ORKRecorderConfiguration
        ORKPedometerRecorderConfiguration ORKRecorderConfiguration
            rollingFileSizeThreshold:number
        ORKStreamingAudioRecorderConfiguration ORKRecorderConfiguration
        ORKTextChoiceOther ORKTextChoice
            textViewPlaceholderText:text textViewInputOptional:flag textViewStartsHidden:flag
        ORKTouchRecorderConfiguration ORKRecorderConfiguration
        """
}
