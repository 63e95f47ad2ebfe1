import type { Json, Port } from '../../packages/reflex/src/kernel/index.ts'
import type { KindSubject, SubjectProgram } from '../../packages/reflex/src/testing/index.ts'
import type { PlanStep } from '../../packages/reflex/test/kernel/probes/plan.ts'
import type { Leaf } from '../../packages/reflex/test/kernel/probes/react.ts'
import { type Stage, toolPort } from '../../packages/reflex/test/kernel/probes/stage.ts'
import { KINDS, sealing, SUBJECTS } from '../../packages/reflex/test/kernel/probes/subjects.ts'
import { Dice } from './dice.ts'

/** Later than any life lasts; a clock that jumps may reach it all the same. */
const FAR = 3 * 3_600_000
const [{ ports } = {}] = SUBJECTS
/** Its answers name no key: those of strands hold record numbers, which a question about an unknown outcome moves. */
const tool: Port = {
  ...toolPort,
  accept: (raw) => {
    const { name, again } = raw as { readonly name: string; readonly again: string | null }
    return { name, again }
  },
}

/**
 * Programs of the probe kinds, drawn from a seed and calling each other: strands and their joins, inner scopes, streams,
 * messages, ledgers, deadlines, programs that are given up and compensate, programs that change themselves. Some are sealed every few
 * records.
 */
export function drawnMixture(seed: number): KindSubject {
  const dice = new Dice(seed)
  const programs: SubjectProgram[] = []
  // Called ones first, so that each may call those before it.
  for (let index = dice.between(1, 3); index >= 0; index--)
    programs.unshift(
      drawn(
        dice,
        index,
        programs.map(({ kind, id }) => `${kind}:${id}`),
      ),
    )
  const events = dice.list(1, 4, () => ({ topic: 'event', body: { amount: dice.between(1, 9), dispatch: dice.chance(0.4) } }))
  const size = dice.chance(0.4) ? dice.between(4, 9) : undefined
  return {
    name: `mixture-${seed}`,
    kinds: size === undefined ? KINDS : sealing(size),
    programs,
    args: { seed },
    ports: (store, host) => ({ ...ports?.(store, host), tool }),
    script: {
      answer: ({ name }) => (name === 'late' ? undefined : `answer to ${name}`),
      messages: [...events, { topic: 'event', body: { stop: true } }],
    },
  }
}

function drawn(dice: Dice, index: number, callees: readonly string[]): SubjectProgram {
  // Every event of a run goes to the first that waits: one program may listen.
  const kinds = index === 0 ? (['flow', 'stage', 'react', 'pass', 'plan'] as const) : (['flow', 'stage', 'react', 'plan'] as const)
  const kind = dice.pick(kinds)
  // A flow answers with every key that it sees: below a react, which it sees live, those depend on who is faster.
  const callable = kind === 'react' ? callees.filter((name) => !name.startsWith('flow:')) : callees
  const callee = () => callable[dice.between(0, callable.length - 1)]
  return { kind, id: `p${index}`, source: { flow, stage: stages, react, pass, plan }[kind](dice, callee) }
}

type Callee = () => string | undefined

function flow(dice: Dice, callee: Callee): Json {
  const names = dice.list(1, 4, (at) => `n${at}`)
  const nodes = names.map((name, at): [string, Json] => {
    const calls = dice.chance(0.4) ? callee() : undefined
    const next = names[at + 1]
    return [
      name,
      {
        ...(dice.chance(0.3) ? { person: true } : {}),
        ...(calls === undefined ? {} : { calls, map: [[`from ${calls}`, 'n0']] }),
        ...(next === undefined ? {} : { next }),
      },
    ]
  })
  return { entry: 'n0', nodes: Object.fromEntries(nodes) }
}

function stages(dice: Dice, callee: Callee): Json {
  const one = (deep: boolean): Stage => {
    switch (dice.between(0, deep ? 6 : 3)) {
      case 0:
        return { tool: 'flaky' }
      case 1:
        return { gate: 'late', ms: dice.between(1, 50_000), otherwise: 'nobody' }
      case 2:
        return { gate: 'sign', ms: FAR, otherwise: 'no' }
      case 3:
        return { tool: 'build' }
      case 4:
        return { adapt: [{ tool: 'after' }] }
      case 5: {
        const compose = callee()
        return compose === undefined ? { tool: 'alone' } : { compose, ms: FAR }
      }
      default:
        return { branches: dice.list(0, 3, () => dice.list(0, 2, () => one(false))) }
    }
  }
  return { stages: dice.list(1, 4, () => one(true)) }
}

function react(dice: Dice, callee: Callee): Json {
  const leaves = dice.list(1, 4, (): Leaf => {
    const subtree = dice.chance(0.3) ? callee() : undefined
    if (subtree !== undefined) return { subtree }
    return dice.chance(0.5) ? { sleep: dice.between(1, 20_000) } : { stream: 'letters'.slice(0, dice.between(1, 7)) }
  })
  return { leaves }
}

function pass(dice: Dice, callee: Callee): Json {
  const dispatch = callee()
  return { topic: 'event', ledger: `sums ${dice.between(0, 9)}`, ...(dispatch === undefined ? {} : { dispatch }) }
}

function plan(dice: Dice, callee: Callee): Json {
  const steps = dice.list(1, 4, (at): PlanStep => {
    const program = dice.chance(0.3) ? callee() : undefined
    if (program !== undefined) return { program }
    return dice.chance(0.6) ? { pay: at } : { ask: `step ${at}` }
  })
  return { steps }
}
