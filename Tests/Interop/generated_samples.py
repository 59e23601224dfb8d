"""Samples for tests, as `indivo samples` reads them: lines of JSON. The same seed gives the same samples."""
import datetime
import json
import random

ZONES = {"+01:00": datetime.timezone(datetime.timedelta(hours=1)), "+02:00": datetime.timezone(datetime.timedelta(hours=2))}


def zoned(instant):
    """A time of Berlin in 2026, whose summer time begins on 29 March at 01:00 UTC."""
    summer = datetime.datetime(2026, 3, 29, 1, tzinfo=datetime.timezone.utc)
    return instant.astimezone(ZONES["+02:00" if instant >= summer else "+01:00"]).isoformat()


def sample(kind, start, end, source, **value):
    return {"type": kind, "start": zoned(start), "end": zoned(end), **value, "source": {"name": source},
            "metadata": {"HKTimeZone": "Europe/Berlin"}}


def quantity(name, start, end, source, value, unit):
    return sample("HKQuantityTypeIdentifier" + name, start, end, source, value=value, unit=unit)


def heart_rates(count, seed=1):
    """Heart rates, one a minute, all different samples."""
    chance = random.Random(seed)
    start = datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc)
    for number in range(count):
        time = start + datetime.timedelta(minutes=number)
        yield quantity("HeartRate", time, time, f"Watch {number % 3}", chance.randint(50, 140), "count/min")


def life(first=datetime.date(2026, 3, 1), days=31, seed=1):
    """What a phone and a watch have of some days: activity, heart, sleep, blood pressure, weight, workouts."""
    chance = random.Random(seed)
    minutes = lambda number: datetime.timedelta(minutes=number)
    for number in range(days):
        day = datetime.datetime.combine(first, datetime.time(), datetime.timezone.utc) + datetime.timedelta(days=number)
        for hour in range(6, 21):
            start = day + minutes(60 * hour + chance.randint(0, 20))
            end = start + minutes(chance.randint(10, 35))
            steps = chance.randint(0, 1400)
            yield quantity("StepCount", start, end, "Watch", steps, "count")
            yield quantity("StepCount", start + minutes(5), end + minutes(2), "Phone", steps, "count")
            yield quantity("DistanceWalkingRunning", start, end, "Watch", steps * 0.75, "m")
            yield quantity("ActiveEnergyBurned", start, end, "Watch", chance.randint(5, 60), "kcal")
        for quarter in range(96):
            time = day + minutes(15 * quarter)
            yield quantity("HeartRate", time, time, "Watch", 55 + chance.randint(0, 12) + (40 if quarter in (68, 69, 70) else 0), "count/min")
        yield quantity("HeartRate", day + minutes(600), day + minutes(640), "Strap", 118, "count/min")
        yield quantity("RestingHeartRate", day, day + minutes(1200), "Watch", 54 + chance.randint(0, 4), "count/min")
        yield quantity("WalkingHeartRateAverage", day + minutes(500), day + minutes(1100), "Watch", 95 + chance.randint(0, 9), "count/min")
        sleep = "HKCategoryTypeIdentifierSleepAnalysis"
        start = day - minutes(chance.randint(60, 120))
        yield sample(sleep, start - minutes(10), start + minutes(480), "Phone", category=0)
        for _ in range(4):
            for stage, least, most in [(3, 40, 60), (4, 15, 30), (5, 15, 30), (2, 2, 8)]:
                end = start + minutes(chance.randint(least, most))
                yield sample(sleep, start, end, "Watch", category=stage)
                start = end
        if number % 3 == 0:
            time = day + minutes(450)
            members = [quantity("BloodPressure" + name, time, time, "Cuff", value, "mmHg")
                       for name, value in [("Systolic", 118 + chance.randint(0, 20)), ("Diastolic", 74 + chance.randint(0, 14))]]
            yield sample("HKCorrelationTypeIdentifierBloodPressure", time, time, "Cuff", correlation=members)
        yield quantity("BodyMass", day + minutes(360), day + minutes(360), "Scale", round(70 + chance.random() * 2 - number * 0.03, 1), "kg")
        if number % 4 == 1:
            start = day + minutes(1020)
            yield sample("HKWorkoutTypeIdentifier", start, start + minutes(45), "Watch", workout={
                "activity": chance.choice(["running", "cycling", "yoga"]), "duration": {"value": 42.5, "unit": "min"},
                "energy": {"value": 380, "unit": "kcal"}, "distance": {"value": 7.25, "unit": "km"}})


def write(path, samples):
    with open(path, "w", encoding="utf-8") as file:
        for one in samples:
            file.write(json.dumps(one) + "\n")
