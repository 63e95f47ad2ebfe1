import type { Call, Json, Port } from '../kernel/index.ts'
import { readRequest } from './request.ts'
import { costTraits } from './reserve.ts'
import type { Models } from './types.ts'

/**
 * The port `model`: its arguments are a `ModelRequest`, its result is a `ModelReply`, its parts are `ModelDelta`s; `models` gives
 * those of a run, and `whole` the complete arguments of a call that refers to earlier messages. Asking a model changes nothing outside, so it is asked again after a crash. Throws `R4017` for arguments that are not a request.
 */
export function modelPort(models: (run: string) => Models, fullArgs: (call: Call) => Json | undefined = ({ args }) => args): Port {
  return {
    leaves: false,
    costs: true,
    repeat: 'free',
    traits: (call) => ({
      leaves: false,
      repeat: 'free',
      ...costTraits(
        () => models(call.run),
        () => readRequest(fullArgs(call)),
      ),
    }),
    perform: (call) => models(call.run).generate(readRequest(fullArgs(call)), call),
  }
}
