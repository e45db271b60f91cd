// BuildingExperiments.swift: experiments with what programs build on a run loop. Each uses a component from Lab/Designs.

let buildingExperiments: [any Experiment] = [
    ThreadStays(), ThreadStops(), ModeSwitch(), DeferImages(), StallWatch(), Priorities(), Batches(),
    NetworkRequests(), DrawElsewhere(), Pools(), FirstTouch(),
]
