import type { Json, JsonObject } from '../../../src/kernel/journal/json.ts'
import type { Kind } from '../../../src/kernel/step/kind.ts'
import type { Port } from '../../../src/kernel/ports/port.ts'
import { textOf } from './text.ts'

/** A stage: a tool that may time out, branches of their own stages, a gate with a deadline, a composed program, an adaptation. */
export type Stage =
  | { readonly tool: string }
  | { readonly branches: readonly (readonly Stage[])[] }
  | { readonly gate: string; readonly ms: number; readonly otherwise: string }
  | { readonly compose: string; readonly ms: number }
  | { readonly adapt: readonly Stage[] }

interface Stages {
  readonly stages: readonly Stage[]
}

type Step = Parameters<Kind<Stages>['step']>[0]

/** Shaped after the pipeline: stages in order, keyed tools retried under their key, strands joined in declared order. */
export const stage: Kind<Stages> = {
  name: 'stage',
  rev: 1,
  compile: (source) => source as unknown as Stages,
  calls: ({ stages }) => stages.flatMap((one) => ('compose' in one ? [one.compose] : [])),
  node: (_, position) => `stage ${textOf(position ?? 0)}`,
  step(x, input) {
    const at = Number(x.position ?? 0)
    switch (input?.[0]) {
      case undefined:
        return perform(x, at)
      case 'ok':
        x.set(`${at}.tool`, input[2])
        return next(x, at)
      case 'err':
        // Unknown whether it happened: the retry uses the same key.
        x.set(`${at}.tries`, Number(x.get(`${at}.tries`) ?? 0) + 1)
        return void x.request('tool', [tool(x, at), 'again'], `key-of-${toolKey(x, at)}`)
      case 'answer':
        x.drop(...x.waits().map(({ id }) => id))
        x.set(`${at}.gate`, input[2])
        return next(x, at)
      case 'timer':
        return late(x, at)
      case 'end':
        return joined(x, at)
      case 'ret':
        x.drop(...x.waits().map(({ id }) => id))
        x.set(`${at}.composed`, [input[2], input[3] ?? null])
        return next(x, at)
      default:
    }
  },
}

/** A strand performs the stages of its branch; the base frame those of the program. */
function stages(x: Step): readonly Stage[] {
  const args = (x.args ?? {}) as { branch?: number; of?: number }
  const own = args.of === undefined ? undefined : x.def.stages[args.of]
  return own !== undefined && 'branches' in own ? (own.branches[args.branch ?? 0] ?? []) : x.def.stages
}

function perform(x: Step, at: number): void {
  const one = stages(x)[at]
  if (one === undefined) return x.done({ stages: at })
  if ('tool' in one) x.request('tool', [one.tool], `key-of-${toolKey(x, at)}`)
  else if ('branches' in one) one.branches.forEach((_, branch) => x.spawn(null, { args: { branch, of: at } }))
  else if ('gate' in one) x.wait('answer', one.gate, { due: x.now + one.ms, about: { options: ['yes', 'no'] } })
  else if ('compose' in one) {
    x.timer(one.ms, 'deadline')
    x.call(one.compose, { isolated: true, args: { from: at } })
  } else {
    x.become({ stages: [...x.def.stages.slice(0, at), { tool: 'adapted' }, ...one.adapt] as unknown as Json })
    x.again()
  }
}

function toolKey(x: Step, at: number): string {
  return `${String(x.frame.id)}-${at}`
}

function tool(x: Step, at: number): string {
  const one = stages(x)[at]
  return one !== undefined && 'tool' in one ? one.tool : ''
}

function next(x: Step, at: number): void {
  x.go(at + 1)
  x.again()
}

function late(x: Step, at: number): void {
  const one = stages(x)[at]
  if (one === undefined || !('gate' in one)) return x.unwind()
  x.set(`${at}.gate`, one.otherwise)
  next(x, at)
}

/** Once all branches have ended: what they wrote is taken over in the order in which they are declared. */
function joined(x: Step, at: number): void {
  const kids = [...(x.frame.strandResults?.values() ?? [])]
  if (kids.some(({ status }) => status === 'running')) return
  x.adopt(...kids.map(({ id }) => id))
  next(x, at)
}

/** Times out for ever for some tools unless asked again; a function of the arguments alone. */
export const toolPort: Port = {
  leaves: true,
  repeat: 'keyed',
  async perform({ args, key }) {
    const [name, again] = args as [string, string?]
    if (name.startsWith('flaky') && again === undefined) throw new Error(`${name} timed out`)
    return { name, key, again: again ?? null } satisfies JsonObject
  },
}
