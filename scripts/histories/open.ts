import { killedInTheLetter } from './examples.ts'
import type { History, Stage } from './stage.ts'
import { approval, steps } from './workflows.ts'

const HOUR = 60 * 60_000

const SECOND = 1000

/** A run whose journal is sealed every eight records. */
async function ticks({ live, host }: Stage, id: string, count: number, until: number): Promise<string> {
  const { runtime } = live()
  const program = runtime.programs.add('ticking', 'clock', { every: SECOND, ticks: count })
  const run = await runtime.start(program, { id })
  for (let i = 0; i < until; i++) await host.advance(SECOND)
  await run.leave()
  return id
}

/** Runs that a release left in the middle: a later one goes on with them. */
export const open: Readonly<Record<string, History>> = {
  sealed: {
    about: 'a run of four segments that has ended',
    live: (stage) => ticks(stage, 'otter-6n3p', 28, 60),
  },
  'open-sealed': {
    about: 'a run of several segments that ticks on',
    live: (stage) => ticks(stage, 'heron-7p4q', 28, 30),
    then: { after: SECOND, advance: 30 * SECOND, answers: [], status: 'completed', value: { tick: 28 } },
  },
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
  'open-budget': {
    about: 'a run that its operator’s budget holds at its third node, and that is given more',
    live: async (stage) => {
      const run = await stage.live().run(steps(stage), { id: 'robin-3c4d', limits: { steps: 2 } })
      return run.id
    },
    then: { after: HOUR, answers: [['q1', 'raise']], status: 'completed', value: { said: 'third' } },
  },
  'open-fork': {
    about: 'a fork that was decided otherwise, and that nobody has told to go on yet',
    live: async (stage) => {
      const reflex = stage.live()
      const run = await reflex.run(approval(stage, { due: '30d', otherwise: 'NO' }), { id: 'lark-5e6f' })
      await stage.host.advance(HOUR)
      return (await reflex.fork(run.id, { id: 'crane-7g8h', decide: 'YES' })).id
    },
    then: { after: HOUR, answers: [], status: 'completed', value: { said: 'yes' } },
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
