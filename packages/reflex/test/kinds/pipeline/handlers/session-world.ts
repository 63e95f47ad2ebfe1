import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import type { PipelineResult, PipelineRunOptions } from '../../../../src/kinds/pipeline/index.ts'
import { run } from '../../../../src/kinds/pipeline/face/run.ts'
import { noSandbox } from '../../../tools/workshop.ts'

/** Why commands cannot be run here, if they cannot. */
export const withoutCommands = await noSandbox()

/** A work folder that is gone after the test. */
export function workFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'reflex-actions-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Runs nodes and edges between a start and an exit, by default as a trusted run without files of its own. */
export function runNodes(body: string, options: PipelineRunOptions = {}, graph = ''): Promise<PipelineResult> {
  const dot = `digraph g { ${graph}
    start [shape=Mdiamond]
    done [shape=Msquare]
    ${body}
  }`
  return run(dot, { trust: 'trusted', logs_root: false, workdir: workFolder(), env: { PATH: '/usr/local/bin:/usr/bin:/bin' }, ...options })
}

/** A node that performs an action, and the way through it. */
export function act(action: string, more = ''): string {
  return `a [type=exec, target=action, action=${JSON.stringify(action)}${more === '' ? '' : `, ${more}`}] start -> a -> done`
}

/** A text that holds this one, in an object that is compared. */
export const saying = (text: string): unknown => expect.stringContaining(text)
