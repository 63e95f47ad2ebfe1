import { copyJson, isObject, type Json, type JsonObject } from '../../../kernel/journal/json.ts'
import type { Port } from '../../../kernel/ports/port.ts'
import { usageOfResult } from '../../../kernel/journal/usage.ts'
import type { Permissions, DeclaredHooks } from '../contract/handler.ts'

/**
 * What a host does around calls of tools: it is told `{phase, tool_name, tool_call_id, node_id, arguments, result?}`.
 * Before a call, `false`, `'skip'` and `{skip: true, reason}` keep it from being made, and so does what is thrown; after it,
 * the answer is recorded and changes nothing (reference pipeline 10.3). Called again after a crash.
 */
export type ToolHook = (call: JsonObject) => ToolHookAnswer | Promise<ToolHookAnswer>
export type ToolHookAnswer = boolean | 'skip' | { readonly skip: boolean; readonly reason?: string } | undefined

/** A command, or a function. */
export interface ToolHooks {
  readonly pre?: string | ToolHook | undefined
  readonly post?: string | ToolHook | undefined
}

/**
 * What a host does before and behind a pipeline or a node: it gets `{of, phase, run_id, graph_id, node_id, outcome?}`. Before one,
 * `false` and what is thrown fail it; behind one, the answer is recorded and changes nothing (reference pipeline 10.3). Called
 * again after a crash.
 */
export type Hook = (facts: JsonObject) => boolean | undefined | Promise<boolean | undefined>

/** A command, or a function. */
export interface Hooks {
  readonly pre?: string | Hook | undefined
  readonly post?: string | Hook | undefined
}

/** Hooks of a host, where the graph and the node have none of their own. */
export interface RunHooks {
  /** Once for each pipeline: before its first node, and when it has ended. */
  readonly graph?: Hooks | undefined
  /** Around each execution of a node. */
  readonly node?: Hooks | undefined
}

/** The port `hook`: the functions of a host. */
export function hookPort({ graph, node }: RunHooks): Port {
  return {
    leaves: true,
    repeat: 'keyed',
    simulate: 'succeed',
    async perform({ args }): Promise<Json> {
      const facts = isObject(args) ? args : {}
      const { pre, post } = (facts['of'] === 'graph' ? graph : node) ?? {}
      const hook = facts['phase'] === 'post' ? post : pre
      return (typeof hook === 'function' ? await hook(facts) : undefined) !== false
    },
  }
}

/** What a charter says of hooks of runs; nothing where there are none. */
export function declaredRunHooks({ graph, node }: RunHooks): Permissions['hooks'] {
  return {
    ...(graph === undefined ? {} : { graph: declaredHooks(graph) }),
    ...(node === undefined ? {} : { node: declaredHooks(node) }),
  }
}

/** Sums up what happened, for a model: `{mode, length, goal, run, node, stages, context}`. Nothing, or what is thrown, leaves it to Reflex. */
export type Summariser = (facts: JsonObject) => string | undefined | Promise<string | undefined>

/** The port `tool_hook`: the functions of a host. */
export function toolHookPort(hooks: ToolHooks): Port {
  return {
    leaves: true,
    repeat: 'keyed',
    simulate: 'succeed',
    async perform({ args }): Promise<Json> {
      const facts = isObject(args) ? args : {}
      const hook = facts['phase'] === 'post' ? hooks.post : hooks.pre
      const answer = typeof hook === 'function' ? await hook(facts) : undefined
      return answer === undefined ? true : copyJson(answer, 'the answer of a tool hook')
    },
  }
}

/** The port `summary`. */
export function summaryPort(summarise: Summariser): Port {
  return {
    leaves: false,
    repeat: 'free',
    simulate: 'perform',
    used: usageOfResult,
    perform: async ({ args }) => (await summarise(isObject(args) ? args : {})) ?? '',
  }
}

/** What a charter says of hooks: commands as they are, functions behind their port. */
export function declaredHooks({ pre, post }: ToolHooks | Hooks): DeclaredHooks {
  return {
    ...(pre === undefined ? {} : { pre: typeof pre === 'string' ? pre : (true as const) }),
    ...(post === undefined ? {} : { post: typeof post === 'string' ? post : (true as const) }),
  }
}
