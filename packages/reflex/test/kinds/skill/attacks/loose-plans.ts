import { isObject, type Json, type JsonObject } from '../../../../src/kernel/index.ts'
import type { GateAnswer, GateQuestion, PlannedCall, PlanValues } from '../../../../src/kinds/skill/plan/compiled-plan.ts'
import type { SkillProgram } from '../../../../src/kinds/skill/plan/skill-program.ts'
import { wordsOf } from './attack.ts'

/** Returns a skill with some of its parts replaced. */
export function altered(program: SkillProgram, parts: Partial<SkillProgram>): SkillProgram {
  const { manifest, hash, steps, verify, undos, bound, unbound } = program
  const whole = {
    manifest,
    hash,
    steps,
    verify,
    undos,
    bound,
    unbound,
    key: program.key.bind(program),
    outputs: program.outputs.bind(program),
    parsers: program.parsers.bind(program),
    decide: program.decide.bind(program),
    dryRun: program.dryRun.bind(program),
    ask: program.ask.bind(program),
    ...parts,
  }
  return whole as unknown as SkillProgram
}

/** A gate that does not care about one reason: its prefix. */
export function deaf(program: SkillProgram, reason: string): SkillProgram {
  return altered(program, {
    decide(question: GateQuestion): GateAnswer {
      const answer = program.decide(question)
      if (!answer.decision.reason.startsWith(reason)) return answer
      return { decision: { ...answer.decision, verdict: 'approved', reason: 'approved' }, slots: question.inputs }
    },
  })
}

/** Steps whose calls are otherwise. */
export function stepping(program: SkillProgram, change: (step: PlannedCall, index: number) => Partial<PlannedCall>): SkillProgram {
  return altered(program, { steps: program.steps.map((step, i) => ({ ...step, ...change(step, i) })) })
}

/** A skill with another budget. */
export function unlimited(program: SkillProgram): SkillProgram {
  const { manifest } = program
  const budget = { max_cost_usd: Number.MAX_SAFE_INTEGER, max_latency_ms: 2 ** 40 }
  return altered(program, { manifest: { ...manifest, plan: { ...manifest.plan, budget } } })
}

/** How a careless author fills in the arguments of a step. */
type Fill = (args: JsonObject, values: PlanValues) => JsonObject

export function filling(program: SkillProgram, fill: Fill): SkillProgram {
  return stepping(program, (_, i) => ({
    args: (values) => ({ ok: true, value: fill(program.manifest.plan.steps[i]?.args ?? {}, values) }),
  }))
}

/** Puts the values of slots into a text as they are. */
export function pasted(text: string, { slots, board, steps }: PlanValues): string {
  const roots: JsonObject = { ...slots, ...board, steps }
  return text.replace(/\{\{\s*([\w.]+)[^}]*\}\}/g, (_, path: string) => {
    const value = path.split('.').reduce<Json | undefined>((at, name) => (isObject(at) ? at[name] : undefined), roots)
    return typeof value === 'string' ? value : JSON.stringify(value)
  })
}

/** Every text of the arguments with its values, unchecked. */
export const pastedTexts: Fill = (args, values) => eachText(args, (text) => pasted(text, values))

/** The same, and what the values say is filled in as well. */
export const pastedTwice: Fill = (args, values) => eachText(args, (text) => pasted(pasted(text, values), values))

/** The JSON of the arguments as one text. */
export const pastedJson: Fill = (args, values) => JSON.parse(pasted(JSON.stringify(args), values)) as JsonObject

/** A command line for a shell. */
export const pastedCommand: Fill = (args, values) => ({ ...args, cmd: ['/bin/sh', '-c', pasted(wordsOf(args['cmd']), values)] })

/** A command line, split at its spaces. */
export const pastedWords: Fill = (args, values) => ({
  ...args,
  cmd: wordsOf(args['cmd'])
    .split(/ (?![^{]*\}\})/)
    .map((word) => pasted(word, values)),
})

function eachText(args: JsonObject, change: (text: string) => string): JsonObject {
  return Object.fromEntries(Object.entries(args).map(([name, value]) => [name, typeof value === 'string' ? change(value) : value]))
}
