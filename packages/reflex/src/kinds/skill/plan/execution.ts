import { digest, isObject, type Json, type JsonObject, type StepContext } from '../../../kernel/index.ts'
import { readArgs, type SkillArgs } from './args.ts'
import { boardRoots } from './board-roots.ts'
import type { GateQuestion, LookResult, PlanProgram, PlanValues, Rendered } from './compiled-plan.ts'
import { type PlanPosition, positionJson, readPosition } from './position.ts'
import { gateQuestion, KEYS } from './question.ts'

export { KEYS }

export type SkillStep = StepContext<PlanProgram>

/** One execution of a skill during one step of its frame. */
export class Execution {
  readonly x: SkillStep
  readonly args: SkillArgs
  position: PlanPosition

  constructor(x: SkillStep) {
    this.x = x
    this.args = readArgs(x.args)
    this.position = readPosition(x.position)
  }

  get program(): PlanProgram {
    return this.x.def
  }

  /** Moves the frame. The position is small, so it is written whole. */
  move(change: Partial<PlanPosition>): void {
    this.position = { ...this.position, ...change }
    this.x.go(positionJson(this.position))
  }

  get look(): LookResult {
    return this.x.get(KEYS.look) as unknown as LookResult
  }

  /** Everything that the gate decides on. */
  get question(): GateQuestion {
    return gateQuestion(this.args, { ...this.x.reader().snapshot(), ...this.x.pending() }, this.isExact)
  }

  /** True if the caller names this very version: `skill:id@version`. */
  get isExact(): boolean {
    return this.x.programName.includes('@')
  }

  get board(): PlanValues['board'] {
    const { seed } = this.x.get(KEYS.look) === undefined ? {} : this.look
    return boardRoots({ ...seed, ...this.x.reader().snapshot(), ...this.x.pending() })
  }

  /** Everything that templates and expressions of the plan read now. */
  get values(): PlanValues {
    const { x, position } = this
    const { hostFacts, principal } = this.look
    const slots = x.get(KEYS.slots)
    return {
      slots: isObject(slots) ? slots : {},
      board: this.board,
      hostFacts,
      principal,
      steps: Object.fromEntries(
        position.ended.flatMap(([id]) => {
          const result = x.get(KEYS.result(id))
          return result === undefined ? [] : [[id, { result }]]
        }),
      ),
      exec: {
        id: executionId(x),
        trace_id: x.origin.run,
        started_at: new Date(position.at).toISOString(),
        attempt: position.tries + 1,
      },
    }
  }

  /** Returns what a template gives: a value, or why there is none. */
  rendered<Value extends Json>(name: string, read: () => Rendered<Value>): { readonly value: Value } | { readonly problem: string } {
    return this.x.fact(name, () => {
      const found = read()
      return found.ok ? { value: found.value } : { problem: found.fault.message }
    })
  }

  /** The idempotency key; undefined for a skill that changes nothing. */
  key(values: PlanValues): { readonly value: string } | { readonly problem: string } | undefined {
    return this.x.fact('key', () => {
      const key = this.program.key(values)
      return key === undefined ? undefined : key.ok ? { value: key.value } : { problem: key.fault.message }
    })
  }

  /** Milliseconds and US dollars since the execution was admitted. */
  get used(): { readonly time: number; readonly cost: number } {
    const { time, cost } = this.x.meter.program(this.x.frame)
    return { time: time - this.position.time, cost: cost - this.position.cost }
  }
}

/** The id of an execution: the same in every replay, and another one in a fork. */
export function executionId(x: SkillStep): string {
  const { run, fork } = x.origin
  return `${run}${fork === undefined ? '' : `~${fork}`}:${x.frame.id}`
}

/** The digest of an idempotency key with everything that it is unique in (reference skill 1.19). */
export function keyHashOf({ program, look }: Execution, key: string): string {
  const { id, version } = program.manifest
  return digest(JSON.stringify([look.project, look.env, id, majorOf(version), key]))
}

/** The digest of the arguments of an execution: another one under the same key is refused. */
export function fingerprintOf(slots: JsonObject): string {
  return digest(JSON.stringify(sorted(slots)))
}

function sorted(value: Json): Json {
  if (Array.isArray(value)) return (value as readonly Json[]).map(sorted)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sorted(value[key] ?? null)]),
  )
}

export function majorOf(version: string): number {
  return Number(version.slice(0, version.indexOf('.')))
}
