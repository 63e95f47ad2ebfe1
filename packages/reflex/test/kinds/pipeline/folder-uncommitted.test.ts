import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { run } from '../../../src/kinds/pipeline/index.ts'
import { noSandbox } from '../../tools/workshop.ts'
import { folder } from './folders.ts'

const missing = await noSandbox()
const ENV = { PATH: '/usr/local/bin:/usr/bin:/bin' }
const AS = 'git -c user.name=A -c user.email=a@b'

/** A repository with one file that is not committed yet. */
function repository(): string {
  const work = folder()
  execFileSync('git', ['init', '--quiet', '--initial-branch=main'], { cwd: work, env: ENV })
  writeFileSync(join(work, 'kept.txt'), 'one')
  return work
}

function committed(work: string): readonly string[] {
  const files = execFileSync('git', ['ls-tree', '-r', '--name-only', 'HEAD'], { cwd: work, env: ENV, encoding: 'utf8' })
  return files.trim().split('\n')
}

/** Commits everything in its second round, when there is a folder of the first one too. */
const dot = (sandbox: string): string => `digraph g {
  start [shape=Mdiamond] note [prompt=x, simulate=true]
  count [type=transform, transform=increment, source_key=n, output_key=n]
  save [type=shell, command="git add --all && ${AS} commit --quiet -m all", sandbox=${sandbox}]
  done [shape=Msquare]
  start -> note -> count
  count -> start [condition="context.n<2", loop_restart=true]
  count -> save [condition="context.n>=2"]
  save -> done
}`

describe.each([
  ['in the sandbox', 'strict', missing],
  ['without a sandbox', 'none', undefined],
])('git add --all %s', (_, sandbox, skipped) => {
  test.skipIf(skipped !== undefined).each([undefined, 'logs', 'deep/logs'])(
    'does not commit the folders of runs: %s',
    async (logs_root) => {
      const workdir = repository()
      for (const run_id of ['first', 'second']) {
        writeFileSync(join(workdir, 'kept.txt'), run_id)
        const { failure_reason } = await run(dot(sandbox), { workdir, run_id, logs_root, env: ENV, trust: 'autonomous', validate: false })
        expect(failure_reason).toBeNull()
      }
      expect(committed(workdir)).toEqual(['kept.txt'])
    },
  )
})
