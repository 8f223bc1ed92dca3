"""Models for trainer.loop. Each module has add_flags(parser) and a class Model:

    Model(args)            reads its data
    train_step(step)       one step; its data depend on the seed and the step's number alone
    save(), load(bytes)    everything that the next step depends on
    export()               {file name: bytes}: the trained model, as its framework's users expect it
    evaluate()             its score on data that it has not seen
"""
