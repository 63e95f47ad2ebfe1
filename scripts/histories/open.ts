import { killedInTheLetter } from './examples.ts'
import type { History } from './stage.ts'
import { approval } from './workflows.ts'

const HOUR = 60 * 60_000

/** Runs that a release left in the middle: a later one goes on with them. */
export const open: Readonly<Record<string, History>> = {
  'open-question': {
    about: 'a question that nobody has answered yet',
    live: async (stage) => (await stage.live().run(approval(stage, { due: '30d', otherwise: 'NO' }), { id: 'wren-8s9t' })).id,
    then: { after: HOUR, answers: [['q1', 'YES']], status: 'completed', value: { said: 'yes' } },
  },
  'open-deadline': {
    about: 'a question whose time runs out while no process lives',
    live: async (stage) => (await stage.live().run(approval(stage, { due: '2h', otherwise: 'NO' }), { id: 'dove-1u2v' })).id,
    then: { after: 3 * HOUR, answers: [], status: 'completed', value: { said: 'no' } },
  },
  'open-effect': {
    about: 'a process that died in the middle of an effect that nobody may repeat unasked',
    live: killedInTheLetter,
    then: {
      after: HOUR,
      tools: { 'post.letter': { sent: true } },
      answers: [['q1', 'happened']],
      status: 'completed',
      value: { paid: 200 },
    },
  },
}
