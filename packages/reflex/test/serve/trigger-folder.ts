import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { systemHost } from '../../src/kernel/index.ts'
import type { Host } from '../../src/kernel/index.ts'
import type { ReflexOptions } from '../../src/app/options.ts'
import { readTriggers, type TriggerConfig } from '../../src/serve/index.ts'
import { newFolder } from '../app/folders.ts'

export const SECRET = 'a-secret-of-the-sender'

const PROGRAMS = {
  'order.dot':
    'digraph order { start [shape=Mdiamond]; paid [type="wait.signal", signal_topic="paid"]; exit [shape=Msquare]; start -> paid -> exit }',
  'ask.dot':
    'digraph ask { start [shape=Mdiamond]; gate [shape=hexagon, label="Release?"]; exit [shape=Msquare]; start -> gate; gate -> exit [label="yes"]; gate -> exit [label="no"] }',
  'short.dot': 'digraph short { start [shape=Mdiamond]; exit [shape=Msquare]; start -> exit }',
}

/** A folder with programs and a file of triggers. */
export function triggerFolder(triggers: unknown = {}): {
  readonly folder: string
  readonly file: string
  readonly config: () => TriggerConfig
} {
  const folder = newFolder()
  for (const [name, text] of Object.entries(PROGRAMS)) writeFileSync(join(folder, name), text)
  const file = join(folder, 'triggers.json')
  writeFileSync(file, typeof triggers === 'string' ? triggers : JSON.stringify(triggers, undefined, 2))
  return { folder, file, config: () => readTriggers(file, { SECRET, SHORT: 'short' }) }
}

/** The options of a `Reflex` whose clock a test sets. */
export function processIn(folder: string, host: Host = systemHost, id = 'w1'): ReflexOptions {
  return {
    workdir: folder,
    actor: 'ana',
    surroundings: { host, worker: { id, host: 'test', pid: process.pid }, cwd: folder, environment: {}, actor: 'ana' },
  }
}
