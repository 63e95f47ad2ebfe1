import { isObject, type Json } from '../../../src/kernel/journal/json.ts'
import type { Kind } from '../../../src/kernel/step/kind.ts'
import type { Port } from '../../../src/kernel/ports/port.ts'
import { textOf } from './text.ts'

/** A step of a plan: a payment that must not happen twice, a question, a program as a tool. */
export type PlanStep = { readonly pay: number } | { readonly ask: string } | { readonly program: string }

interface Plan {
  readonly steps: readonly PlanStep[]
  /** The program that compensates. */
  readonly undo?: string
  /** Driven from outside: commands `[digest, op]` are performed and answered on the board. */
  readonly session?: true
}

type Step = Parameters<Kind<Plan>['step']>[0]

/** Shaped after the skill: a plan of tool calls that compensates when it is cancelled, or a session that the user's own loop drives. */
export const plan: Kind<Plan> = {
  name: 'plan',
  rev: 1,
  cancels: true,
  compile: (source) => source as unknown as Plan,
  calls: ({ steps, undo }) => [...steps.flatMap((one) => ('program' in one ? [one.program] : [])), ...(undo === undefined ? [] : [undo])],
  step(x, input) {
    switch (input?.[0]) {
      case undefined:
        return x.def.session ? void (x.position ?? x.wait('answer', 'end of session')) : perform(x)
      case 'cancel':
        return compensate(x)
      case 'host':
        return driven(x, input[1])
      case 'ok':
      case 'err':
        if (x.def.session) return answered(x, `${input[1]}`, input[2])
        return next(x, input[0] === 'ok' ? input[2] : ['failed', isObject(input[2]) ? (input[2].code ?? null) : null])
      case 'answer':
        return x.def.session ? x.done(input[2]) : next(x, input[2])
      case 'ret':
        return x.frame.notified ? x.cancelled(['undone', input[2]]) : next(x, [input[2], input[3] ?? null])
      default:
    }
  },
}

function perform(x: Step): void {
  const one = x.def.steps[Number(x.position ?? 0)]
  if (one === undefined) x.done({ steps: Number(x.position ?? 0) })
  else if ('pay' in one) x.request('pay', [one.pay])
  else if ('ask' in one) x.wait('answer', one.ask)
  else x.call(one.program, { isolated: true, args: { step: Number(x.position ?? 0) } })
}

function next(x: Step, value: Json): void {
  const at = Number(x.position ?? 0)
  x.set(`step${at}`, value)
  x.go(at + 1)
  x.again()
}

/** By a program of its own, which the cancelled frame must hear the end of. */
function compensate(x: Step): void {
  x.drop(...x.pendingEffects().map(({ id }) => id), ...x.waits().map(({ id }) => id))
  if (x.def.undo === undefined) x.cancelled('nothing to undo')
  else x.call(x.def.undo, { isolated: true })
}

/** A call of the user's own code: asked once, whatever happens to that code. */
function driven(x: Step, command: Json): void {
  const [digest, amount] = command as [string, number]
  if (x.has(`op.${digest}`)) return
  x.set(`op.${digest}`, amount)
  x.patch({ [`${x.request('pay', [amount])}`]: digest })
}

function answered(x: Step, effect: string, value: Json): void {
  x.set(`r.${textOf(isObject(x.position) ? x.position[effect] : '')}`, value)
  x.patch({ [effect]: null })
}

/** May not be repeated without asking. */
export const payPort: Port = {
  leaves: true,
  repeat: 'ask',
  async perform({ args }) {
    const [amount] = args as [number]
    return { paid: amount }
  },
}
