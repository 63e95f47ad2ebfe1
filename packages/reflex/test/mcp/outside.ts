import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { ReflexOptions } from '../../src/app/options.ts'
import { Reflex } from '../../src/app/reflex.ts'
import { pinServer } from '../../src/mcp/index.ts'
import type { JsonObject } from '../../src/kernel/index.ts'
import type { PinnedServer, ServerSpec } from '../../src/policy/index.ts'
import { newFolder } from '../app/folders.ts'

const MODULES = join(import.meta.dirname, '../../../../node_modules')
export const EVERYTHING = join(MODULES, '@modelcontextprotocol/server-everything/dist/index.js')
export const FILESYSTEM = join(MODULES, '@modelcontextprotocol/server-filesystem/dist/index.js')
export const MISCHIEF = join(import.meta.dirname, 'mischief.ts')

/** A server that this Node runs. */
export function nodeServer(file: string, ...args: readonly string[]): ServerSpec {
  return { command: process.execPath, args: [file, ...args] }
}

export interface WithServer {
  readonly folder?: string
  /** What the operator chooses beside the hashes. */
  readonly entry?: Partial<PinnedServer>
  readonly options?: ReflexOptions
}

/** A policy that allows a server, as `reflex mcp pin` prints it. */
export async function policyFor(
  folder: string,
  name: string,
  spec: ServerSpec,
  entry: Partial<PinnedServer> = {},
): Promise<NonNullable<ReflexOptions['policy']>> {
  const reflex = new Reflex({
    store: 'memory:',
    workdir: folder,
    mcp: { file: join(folder, 'reflex.config.json'), servers: { [name]: spec } },
  })
  const pin = await pinServer(reflex.servers, name)
  await reflex.close()
  return [{ allow: [], deny: [], mcp: { [name]: { ...pin.entry, ...entry } } }]
}

/** A `Reflex` whose operator has pinned a server. */
export async function reflexWith(
  name: string,
  spec: ServerSpec,
  { folder = newFolder(), entry, options = {} }: WithServer = {},
): Promise<Reflex> {
  const policy = await policyFor(folder, name, spec, entry)
  const reflex = new Reflex({
    store: 'memory:',
    workdir: folder,
    trust: 'trusted',
    actor: 'ana',
    ...options,
    policy: [...policy, ...(options.policy ?? [])],
  })
  onTestFinished(() => reflex.close())
  return reflex
}

/** A workflow of one node that calls a tool. */
export function calls(tool: string, args: JsonObject = {}) {
  return {
    id: 'calls',
    entry: 'call',
    nodes: { call: { id: 'call', spec: { tool, args, writes: 'got' }, outputs: [{ key: 'got', guaranteed: true }] } },
    edges: [],
  }
}
