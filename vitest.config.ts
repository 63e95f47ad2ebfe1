import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { testFolder } from './scripts/test-folder.ts'
import { CountsReporter } from './scripts/vitest-counts.ts'

/**
 * Milliseconds, ten times what the longest test needs here: no test ends because a machine is slow. What must end is bounded by
 * counted work; this only ends what hangs. `REFLEX_TEST_SLOWNESS=8` is for a machine eight times as slow.
 */
const PATIENCE = 600_000 * Number(process.env['REFLEX_TEST_SLOWNESS'] ?? 1)

const folder = testFolder()

// oxlint-disable-next-line import/no-default-export -- the shape that vitest asks for
export default defineConfig({
  test: {
    include: ['packages/*/test/**/*.test.ts', 'examples/**/*.test.ts'],
    // Two processes that keep their modules from file to file: eight times faster than a fresh one for each.
    // It holds because no module of ours keeps state, and a test that finds some has found a bug.
    pool: 'forks',
    maxWorkers: 2,
    isolate: false,
    restoreMocks: true,
    unstubEnvs: true,
    unstubGlobals: true,
    testTimeout: PATIENCE,
    hookTimeout: PATIENCE,
    expect: { poll: { timeout: PATIENCE / 10 } },
    env: {
      TMPDIR: folder,
      // Tests remember their stores here, and not in the folder of the user.
      XDG_STATE_HOME: join(folder, 'state'),
      // The processes that tests start share the code that one of them has compiled.
      NODE_COMPILE_CACHE: join(folder, 'compiled'),
    },
    reporters: ['default', new CountsReporter()],
  },
})
