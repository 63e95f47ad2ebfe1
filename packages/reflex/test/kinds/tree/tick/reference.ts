import type { Json } from '../../../../src/kernel/index.ts'
import type { NodeSource } from '../../../../src/kinds/tree/model/source.ts'

/** A small interpreter of trees, written from the rules and not from the runtime: recursive, and its nodes keep what they remember. */

export type Status = 'FRESH' | 'RUNNING' | 'SUCCESS' | 'FAILURE'
type Answer = Exclude<Status, 'FRESH'> | 'SKIPPED'

/** The values of a scope, over those of an outer one. */
export interface Values {
  readonly own: Map<string, Json>
  readonly outer: Values | undefined
}

export function read(values: Values | undefined, key: string): Json | undefined {
  return values === undefined ? undefined : (values.own.get(key) ?? read(values.outer, key))
}

interface Child {
  readonly node: Node
  readonly scope: Values
}

/** What leaves and conditions answer. */
export interface Oracle {
  leaf(source: NodeSource, values: Values): Answer
  condition(text: string, ticks: number): boolean
}

/** A tree with the states of its nodes. */
export class ReferenceTree {
  readonly board: Values = { own: new Map(), outer: undefined }
  readonly #root: Node
  #ticks = 0

  constructor(root: NodeSource, oracle: Oracle) {
    this.#root = new Node(root, oracle, () => this.#ticks)
  }

  /** One event: a tick, of a new execution if the last one has ended. */
  tick(): Status {
    if (this.#root.status !== 'RUNNING') {
      this.#root.reset()
      this.#ticks = 0
    }
    this.#ticks++
    const answer = this.#root.tick(this.board)
    return answer === 'SKIPPED' ? 'FRESH' : answer
  }

  states(): Record<string, Status> {
    return Object.fromEntries(this.#root.all().map(({ source, status }) => [source.id, status]))
  }
}

class Node {
  status: Status = 'FRESH'
  readonly source: NodeSource
  readonly children: readonly Node[]
  readonly #oracle: Oracle
  readonly #ticks: () => number
  /** Forgotten with every end. */
  #run: {
    count: number
    index: number
    failed: boolean
    decided?: Answer
    scopes: Map<Node, Values>
    retries: Map<Node, number>
    skipped: Set<Node>
  }
  /** Kept across executions. */
  #lasting: number | Answer | undefined

  constructor(source: NodeSource, oracle: Oracle, ticks: () => number) {
    this.source = source
    this.#oracle = oracle
    this.#ticks = ticks
    this.children = (source.children ?? []).map((child) => new Node(child, oracle, ticks))
    this.#run = fresh()
  }

  all(): readonly Node[] {
    return [this, ...this.children.flatMap((child) => child.all())]
  }

  reset(): void {
    for (const each of this.all()) {
      each.status = 'FRESH'
      each.#run = fresh()
    }
  }

  tick(scope: Values): Answer {
    const answer = this.#before() ?? this.#act(scope)
    if (answer === 'SKIPPED') this.reset()
    else this.status = answer
    if (answer !== 'RUNNING') this.#run = fresh()
    return answer
  }

  #before(): Answer | undefined {
    const { skip_if, success_if, failure_if, while: holds } = this.source.params ?? {}
    const is = (text: Json | undefined): boolean => typeof text === 'string' && this.#oracle.condition(text, this.#ticks())
    if (this.status === 'RUNNING') return holds !== undefined && !is(holds) ? 'SKIPPED' : undefined
    this.reset()
    if (is(failure_if)) return 'FAILURE'
    if (is(success_if)) return 'SUCCESS'
    return is(skip_if) || (holds !== undefined && !is(holds)) ? 'SKIPPED' : undefined
  }

  #act(scope: Values): Answer {
    const [child] = this.children
    if (child === undefined) return this.#leaf(scope)
    switch (this.source.type) {
      case 'sequence':
        return this.#inOrder(scope, 'SUCCESS', this.#running())
      case 'selector':
        return this.#inOrder(scope, 'FAILURE', this.#running())
      case 'reactive_sequence':
        return this.#inOrder(scope, 'SUCCESS', 0)
      case 'reactive_selector':
        return this.#inOrder(scope, 'FAILURE', 0)
      case 'sequence_with_memory':
        return this.#remembering(scope, 'SUCCESS')
      case 'selector_with_memory':
        return this.#remembering(scope, 'FAILURE')
      case 'if_then_else':
        return this.#ifThenElse(scope)
      case 'while_do_else':
        return this.#whileDoElse(scope)
      case 'parallel':
        return this.#parallel(scope)
      case 'for_each':
        return this.#forEach(scope, child)
      default:
        return this.#decorate(scope, child)
    }
  }

  #leaf(scope: Values): Answer {
    const { type, params = {} } = this.source
    if (type === 'succeed') return 'SUCCESS'
    if (type === 'fail') return 'FAILURE'
    if (type === 'condition') return this.#oracle.condition(params.condition as string, this.#ticks()) ? 'SUCCESS' : 'FAILURE'
    return this.#oracle.leaf(this.source, scope)
  }

  #running(): number {
    return Math.max(
      0,
      this.children.findIndex(({ status }) => status === 'RUNNING'),
    )
  }

  #inOrder(scope: Values, goesOn: Answer, from: number, isWhole = true): Answer {
    for (const child of this.children.slice(from)) {
      const answer = child.tick(scope)
      if (answer === goesOn || answer === 'SKIPPED') continue
      for (const other of this.children) if (other !== child && other.status === 'RUNNING') other.reset()
      if (answer !== 'RUNNING') this.#lasting = this.children.indexOf(child)
      return answer
    }
    this.#lasting = undefined
    return isWhole && this.children.every(({ status }) => status === 'FRESH') ? 'SKIPPED' : goesOn
  }

  #remembering(scope: Values, goesOn: Answer): Answer {
    const kept = Number(this.#lasting ?? 0)
    return this.#inOrder(scope, goesOn, this.status === 'RUNNING' ? this.#running() : kept, kept === 0)
  }

  #ifThenElse(scope: Values): Answer {
    const [test, then, otherwise] = this.children
    const running = this.children.find(({ status }) => status === 'RUNNING')
    if (running !== undefined && running !== test) return running.tick(scope)
    const answer = test?.tick(scope) ?? 'FAILURE'
    if (answer === 'SUCCESS') return then?.tick(scope) ?? 'FAILURE'
    return answer === 'FAILURE' ? (otherwise?.tick(scope) ?? 'FAILURE') : answer
  }

  #whileDoElse(scope: Values): Answer {
    const [test, body, otherwise] = this.children
    const answer = test?.tick(scope) ?? 'FAILURE'
    if (answer === 'RUNNING') return answer
    const [chosen, left] = answer === 'SUCCESS' ? [body, otherwise] : [otherwise, body]
    if (answer === 'SKIPPED') return answer
    if (left?.status === 'RUNNING') left.reset()
    return chosen?.tick(scope) ?? 'FAILURE'
  }

  #forEach(scope: Values, child: Node): Answer {
    const { collection_key, item_key, continue_on_failure } = this.source.params ?? {}
    const items = (read(scope, collection_key as string) ?? []) as readonly Json[]
    while (this.#run.index < items.length) {
      scope.own.set(item_key as string, items[this.#run.index] ?? null)
      const answer = child.tick(scope)
      if (answer === 'RUNNING') return answer
      if (answer === 'FAILURE' && continue_on_failure !== true) {
        scope.own.delete(item_key as string)
        return answer
      }
      child.reset()
      this.#run.index++
    }
    if (items.length > 0) scope.own.delete(item_key as string)
    return 'SUCCESS'
  }

  #decorate(scope: Values, child: Node): Answer {
    const { type, params = {} } = this.source
    if (type === 'guard' && !this.#oracle.condition(params.condition as string, this.#ticks())) {
      if (child.status === 'RUNNING') child.reset()
      return 'FAILURE'
    }
    if (type === 'cooldown' && this.status !== 'RUNNING' && this.#lasting !== undefined) return 'FAILURE'
    if (type === 'run_once' && this.status !== 'RUNNING' && this.#lasting !== undefined)
      return params.then_skip === false ? (this.#lasting as Answer) : 'SKIPPED'
    const answer = child.tick(scope)
    if (answer === 'RUNNING' || answer === 'SKIPPED') return answer
    const isSuccess = answer === 'SUCCESS'
    switch (type) {
      case 'inverter':
        return isSuccess ? 'FAILURE' : 'SUCCESS'
      case 'always_succeed':
        return 'SUCCESS'
      case 'always_fail':
        return 'FAILURE'
      case 'cooldown':
      case 'run_once':
        this.#lasting = answer
        return answer
      case 'retry':
        if (isSuccess || this.#run.count++ >= Number(params.max_retries)) return answer
        child.reset()
        return 'RUNNING'
      case 'repeater':
        return this.#repeated(answer)
      default:
        return answer
    }
  }

  #repeated(answer: Answer): Answer {
    const { count, until_failure, until_success } = this.source.params ?? {}
    if (answer === 'FAILURE' && until_failure === true) return 'SUCCESS'
    if (answer === 'SUCCESS' && until_success === true) return 'SUCCESS'
    if (answer === 'FAILURE' && until_success !== true) return 'FAILURE'
    return ++this.#run.count >= Number(count ?? Number.POSITIVE_INFINITY) ? 'SUCCESS' : 'RUNNING'
  }

  #parallel(scope: Values): Answer {
    const { memory, max_concurrent, on_child_fail, max_child_retries } = this.source.params ?? {}
    const { scopes, retries, skipped, decided } = this.#run
    const most = Number(max_concurrent ?? this.children.length)
    if (memory === false && decided === undefined) {
      skipped.clear()
      for (const child of this.children) if (child.status !== 'RUNNING') child.reset()
    }
    for (const child of this.children) {
      const running = this.children.filter(({ status }) => status === 'RUNNING').length
      const begins = child.status === 'FRESH' && !skipped.has(child) && this.#run.decided === undefined && running < most
      if (child.status !== 'RUNNING' && !begins) continue
      const inner = scopes.get(child) ?? { own: new Map<string, Json>(), outer: scope }
      scopes.set(child, inner)
      const answer = child.tick(inner)
      if (answer === 'SKIPPED') skipped.add(child)
      const used = retries.get(child) ?? 0
      if (answer !== 'FAILURE' || on_child_fail !== 'retry' || used >= Number(max_child_retries ?? 1)) continue
      retries.set(child, used + 1)
      scopes.delete(child)
      child.reset()
    }
    return this.#decide(scope)
  }

  #decide(scope: Values): Answer {
    const { policy, n, on_child_fail } = this.source.params ?? {}
    const { scopes, skipped } = this.#run
    const of = (wanted: Status): readonly Node[] => this.children.filter(({ status }) => status === wanted)
    const most = this.children.length - skipped.size
    if (most === 0) return 'SKIPPED'
    const needed = policy === 'require_one' ? 1 : policy === 'require_n' ? Math.min(Number(n), most) : most
    const answer =
      this.#run.decided ?? (of('SUCCESS').length >= needed ? 'SUCCESS' : most - of('FAILURE').length < needed ? 'FAILURE' : undefined)
    if (answer === undefined) return 'RUNNING'
    if (on_child_fail === 'continue' && of('RUNNING').length > 0) {
      this.#run.decided = answer
      return 'RUNNING'
    }
    for (const child of of('RUNNING')) child.reset()
    const writers = of('SUCCESS').flatMap((node): Child[] => {
      const inner = scopes.get(node)
      return inner === undefined ? [] : [{ node, scope: inner }]
    })
    return merge(writers, scope, this.source) ? answer : 'FAILURE'
  }
}

/** Writes what the children wrote. Returns false if two wrote one key and that is a failure. */
function merge(children: readonly Child[], scope: Values, { params = {} }: NodeSource): boolean {
  let isWhole = true
  for (const key of new Set(children.flatMap(({ scope: { own } }) => [...own.keys()]))) {
    const values = children.flatMap(({ scope: { own } }) => (own.has(key) ? [own.get(key) ?? null] : []))
    const strategy = values.length === 1 ? 'first_wins' : (params.merge_strategy ?? 'collect')
    if (strategy === 'fail') isWhole = false
    else scope.own.set(key, strategy === 'collect' ? values : ((strategy === 'first_wins' ? values[0] : values.at(-1)) ?? null))
  }
  return isWhole
}

function fresh(): {
  count: number
  index: number
  failed: boolean
  scopes: Map<Node, Values>
  retries: Map<Node, number>
  skipped: Set<Node>
} {
  return { count: 0, index: 0, failed: false, scopes: new Map(), retries: new Map(), skipped: new Set() }
}
