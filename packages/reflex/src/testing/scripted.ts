import type { OpenQuestion, RunHandle } from '../runs/handle.ts'
import type { Json } from '../kernel/index.ts'
import { didYouMean, suggest } from '../text/index.ts'
import type { DefinedWorkflow } from '../kinds/workflow/index.ts'
import type { InputOf, UnknownTypes, WorkflowTypes } from '../programs/program-types.ts'
import { checkDecisions } from './scripted/decide.ts'
import { milliseconds } from './scripted/waiting.ts'
import { type CrashReport, crashEverywhere, type CrashOptions } from './scripted/crash.ts'
import type { End } from './scripted/end.ts'
import { namesOf } from './scripted/people.ts'
import { type Testable, workflowsOf } from './scripted/program.ts'
import type { ScriptedOptions } from './scripted/script.ts'
import { TestRun } from './scripted/test-run.ts'

export type { CrashReport, CrashOptions } from './scripted/crash.ts'
export type { End } from './scripted/end.ts'
export type { PerformedEffect } from './scripted/outside.ts'
export type {
  AnswerScript,
  DecisionScripts,
  DecisionScript,
  ReplyScript,
  ScriptedOptions,
  ScriptedDecision,
  ScriptedTool,
} from './scripted/script.ts'

/**
 * Returns a program and its world for a test, without a key, a network or a store on disk, and with a clock that stands still until the
 * test advances it. `what` is a workflow object, a graph or a text of a pipeline, or a file of any kind.
 *
 *     const t = scripted(refund, { decide: { decide: 'FULL' }, tools: { 'orders.get': () => order } })
 *     await t.run({ order_id: 'A-1042' })
 *     const end = await t.after('3d')
 *
 * Checks the decisions at once if the program is an object. Throws `R2120` for a node and `R2103` for an edge that does not exist.
 */
export function scripted<Types extends WorkflowTypes = UnknownTypes>(
  what: DefinedWorkflow<Types> | Testable,
  script: ScriptedOptions<NoInfer<Types>['nodes']> = {},
): Scripted<Types> {
  const workflows = workflowsOf(what)
  if (workflows !== undefined) checkDecisions(script.decide, workflows)
  return new Scripted(what, script)
}

/** A program under test. Each `run` starts a new run; every other method is about the last run. */
export class Scripted<Types extends WorkflowTypes = UnknownTypes> {
  readonly #what: Testable
  readonly #script: ScriptedOptions
  #testRun: TestRun<Types> | undefined

  constructor(what: Testable, script: ScriptedOptions) {
    this.#what = what
    this.#script = script
  }

  /**
   * Runs the program until it rests: it has ended, or it waits for an answer or a time that no script gives. Throws the faults of starting
   * a run.
   */
  async run(input?: InputOf<Types>): Promise<End<Types>> {
    const testRun = await TestRun.of<Types>(this.#what, this.#script, input)
    this.#testRun = testRun
    await testRun.rest()
    return testRun.end()
  }

  /**
   * Advances the clock by a duration such as `3d` or `90s`, or by milliseconds. Everything that falls due happens in order, each at its own
   * time.
   */
  async after(duration: string | number): Promise<End<Types>> {
    const testRun = this.#current()
    await testRun.pass(milliseconds(duration))
    return testRun.end()
  }

  /**
   * Answers an open question by its node, its path or its address (`q1`), and runs the program until it rests. Throws `R4200` or `R4201`
   * for an answer that the question refuses, and an `Error` with the open questions for a question that does not exist.
   */
  async answer(question: string | OpenQuestion, value: Json, by = 'the test'): Promise<End<Types>> {
    const testRun = this.#current()
    await testRun.answer(questionNamed(question, testRun.handle), value, by)
    await testRun.rest()
    return testRun.end()
  }

  /**
   * Runs the program again for each moment at which its process can die: after every record, and before and after every call of the store
   * and every effect. The script gives the same answers. Rejects with the first difference: another end, or something that was repeated or
   * lost. An effect that must not be repeated becomes a question, which is answered with the truth. The last run must have ended.
   */
  async crashEverywhere(options: CrashOptions = {}): Promise<CrashReport> {
    return crashEverywhere(await this.#current().played(), options)
  }

  #current(): TestRun<Types> {
    if (this.#testRun === undefined) throw new Error('there is no run yet: call run() first')
    return this.#testRun
  }
}

function questionNamed<Types extends WorkflowTypes>(question: string | OpenQuestion, { questions }: RunHandle<Types>): OpenQuestion {
  if (typeof question !== 'string') return question
  const found = questions.filter((one) => namesOf(one).includes(question))
  const [only] = found
  if (only !== undefined && found.length === 1) return only
  const open = questions.map(({ path }) => path)
  const hint = didYouMean(suggest(question, open))
  const what = found.length > 1 ? `${question} names ${found.length} open questions` : `no question ${question} is open`
  throw new Error(
    `${what}: ${found.length > 1 ? found.map(({ id }) => id).join(', ') : open.join(', ') || 'none is'}${hint === undefined ? '' : `; ${hint}`}`,
  )
}
