import { copyJson, isObject, type Json, type JsonObject, type Port, usageOfResult } from '../../../kernel/index.ts'
import type { Permissions, DeclaredHooks } from '../contract/handler.ts'

/**
 * A hook of a host around calls of tools: it receives `{phase, tool_name, tool_call_id, node_id, arguments, result?}`.
 * Before a call, `false`, `'skip'`, `{skip: true, reason}` or an exception prevents the call; after it, the answer is
 * recorded and has no effect (reference pipeline 10.3). A replay does not call it; after a crash it is called again.
 */
export type ToolHook = (call: JsonObject) => ToolHookAnswer | Promise<ToolHookAnswer>
export type ToolHookAnswer = boolean | 'skip' | { readonly skip: boolean; readonly reason?: string } | undefined

/** A command, or a function. */
export interface ToolHooks {
  readonly pre?: string | ToolHook | undefined
  readonly post?: string | ToolHook | undefined
}

/**
 * A hook of a host before and behind a pipeline or a node: it receives `{of, phase, run_id, graph_id, node_id,
 * outcome?}`. Before it, `false` or an exception fails the pipeline or node; behind it, the answer is recorded and has
 * no effect (reference pipeline 10.3). A replay does not call it; after a crash it is called again.
 */
export type Hook = (facts: JsonObject) => boolean | undefined | Promise<boolean | undefined>

/** A command, or a function. */
export interface Hooks {
  readonly pre?: string | Hook | undefined
  readonly post?: string | Hook | undefined
}

/** The default hooks of a host, for graphs and nodes that declare none. */
export interface RunHooks {
  /** Run once for each pipeline: before its first node, and when it has ended. */
  readonly graph?: Hooks | undefined
  /** Run around each execution of a node. */
  readonly node?: Hooks | undefined
}

/** Returns the port `hook`: the functions of a host. */
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

/** Returns the run hooks as permissions record them. */
export function declaredRunHooks({ graph, node }: RunHooks): Permissions['hooks'] {
  return {
    ...(graph === undefined ? {} : { graph: declaredHooks(graph) }),
    ...(node === undefined ? {} : { node: declaredHooks(node) }),
  }
}

/**
 * Summarises a run for a model, from `{mode, length, goal, run, node, stages, context}`. If it returns nothing or
 * throws, Reflex makes the summary.
 */
export type Summariser = (facts: JsonObject) => string | undefined | Promise<string | undefined>

/** Returns the port `tool_hook`: the functions of a host. */
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

/** Returns the port `summary`. */
export function summaryPort(summarise: Summariser): Port {
  return {
    leaves: false,
    repeat: 'free',
    simulate: 'perform',
    used: usageOfResult,
    perform: async ({ args }) => (await summarise(isObject(args) ? args : {})) ?? '',
  }
}

/** Returns hooks as permissions record them: the text of commands, and `true` for functions behind their port. */
export function declaredHooks({ pre, post }: ToolHooks | Hooks): DeclaredHooks {
  return {
    ...(pre === undefined ? {} : { pre: typeof pre === 'string' ? pre : (true as const) }),
    ...(post === undefined ? {} : { post: typeof post === 'string' ? post : (true as const) }),
  }
}
