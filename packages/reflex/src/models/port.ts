import { type Call, type Json, type Port, type RunFacts, usageOfResult } from '../kernel/index.ts'
import { readRequest } from './request.ts'
import { costTraits } from './reserve.ts'
import type { Models } from './types.ts'

/**
 * Creates the port `model`: its arguments are a `ModelRequest`, its result is a `ModelReply`, its parts are
 * `ModelDelta`s. `models` returns the models of a run, and `fullArgs` the complete arguments of a call that refers to
 * earlier messages. Asking a model changes nothing outside, so it is asked again after a crash. A replay takes the
 * recorded reply. Throws `R4017` for arguments that are not a request.
 */
export function modelPort<S extends RunFacts>(
  models: (call: Call<S>) => Models,
  whole: (call: Call<S>) => Json | undefined = ({ args }) => args,
): Port<S> {
  return {
    leaves: false,
    costs: true,
    repeat: 'free',
    simulate: 'perform',
    traits: (call) => ({
      leaves: false,
      repeat: 'free',
      ...costTraits(
        () => models(call),
        () => readRequest(whole(call)),
      ),
    }),
    used: usageOfResult,
    perform: (call) => models(call).generate(readRequest(whole(call)), call),
  }
}
