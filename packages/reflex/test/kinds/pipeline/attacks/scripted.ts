import { type Model, scriptedModel } from '../../../../src/models/index.ts'
import type { Attack } from './attack.ts'
import type { Ground } from './ground.ts'

export const SCRIPTED = 'scripted'

/** Between two pieces of a stream: longer than models gather what comes, so that each piece has a record of its own. */
const PAUSE = 300

/** A model that says what the attack has written, and keeps what it was asked. A reply with `pieces` comes as a stream that pauses. */
export function scripted(attack: Attack, { fill }: Ground, prompts: string[]): Model {
  const replies = attack.replies(fill)
  return {
    name: SCRIPTED,
    async generate(request, call) {
      prompts.push(JSON.stringify(request))
      const reply = replies.shift() ?? 'done'
      const pieces = typeof reply === 'object' && 'pieces' in reply ? reply.pieces : []
      for (const text of pieces) {
        call.part({ text })
        await new Promise((done) => setTimeout(done, PAUSE))
      }
      return scriptedModel([reply]).generate({ ...request, stream: request.stream === true && pieces.length === 0 }, call)
    },
  }
}
