import { globSync, readFileSync } from 'node:fs'
import { posix, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ARROWS, checkArrows, DOORS, importsOf, roomOf, SIDE_DOORS } from '../../../../scripts/arrows.ts'
import { checkKindNames, EXCEPTIONS } from '../../../../scripts/kind-names.ts'

const findingsOf = (file: string, text: string): string[] => checkArrows([[file, text]]).map((finding) => finding.message)

describe('arrows', () => {
  it('lead downwards: no two rooms import each other', () => {
    const pairs = Object.entries(ARROWS).flatMap(([from, rooms]) => rooms.map((to) => [from, to] as const))
    expect(pairs.filter(([from, to]) => ARROWS[to]?.includes(from))).toEqual([])
  })

  it.each([
    ['kernel/step.ts', "import { readFileSync } from 'node:fs'", 'kernel imports nothing but the language, this is node:fs'],
    ['kernel/step.ts', "import type { z } from 'zod'", 'kernel imports nothing but the language, this is zod'],
    ['kernel/step.ts', "import type { Policy } from '../policy/policy.ts'", 'no arrow leads from kernel to policy'],
    ['store/sqlite.ts', "import { rights } from '../policy/rights.ts'", 'no arrow leads from store to policy'],
    ['kinds/workflow/graph.ts', "export { parse } from '../pipeline/dot.ts'", 'no arrow leads from kinds/workflow to kinds/pipeline'],
    ['kinds/workflow/graph.ts', "const { Reflex } = await import('../../app/reflex.ts')", 'no arrow leads from kinds/workflow to app'],
    ['text/place.ts', "let a: import('../models/model.ts').Model", 'no arrow leads from text to models'],
    ['app/reflex.ts', "import '../cli/main.ts'", 'no arrow leads from app to cli'],
    ['kernel/state/board.ts', "import type { Run } from '../run/run.ts'", 'no arrow leads from kernel/state to kernel/run'],
    [
      'kinds/pipeline/model/typed.ts',
      "import { x } from '../engine/x.ts'",
      'no arrow leads from kinds/pipeline/model to kinds/pipeline/engine',
    ],
    [
      'kinds/workflow/model/graph.ts',
      "import { x } from '../check/x.ts'",
      'no arrow leads from kinds/workflow/model to kinds/workflow/check',
    ],
    ['kernel/state/board.ts', "import type { Run } from '../index.ts'", 'no arrow leads from kernel/state to kernel/index.ts'],
    ['testing/clock.ts', "import { main } from '../cli/main.ts'", 'no arrow leads from testing to cli'],
    ['store/sqlite.ts', "import type { Host } from '../kernel/ports/host.ts'", 'kernel/ports/host.ts is behind the door of kernel'],
    ['cli/look.ts', "const { wrap } = await import('../text/cells.ts')", 'text/cells.ts is behind the door of text'],
    [
      'agents/rules.ts',
      "import type { Edge } from '../kinds/workflow/model/graph.ts'",
      'kinds/workflow/model/graph.ts is behind the door of kinds/workflow',
    ],
    ['cli/look.ts', "import { place } from '../history/tables/row.ts'", 'history/tables/row.ts is behind the door of history'],
    ['tools/shell.ts', "import { x } from '../../test/cases.ts'", '../../test/cases.ts leaves src'],
    ['agents/rules.ts', "import { x } from 'reflex-runtime/kernel'", "reflex-runtime/kernel is this package's own door"],
    ['utils/misc.ts', "import { x } from '../kernel/index.ts'", 'the room utils is not in the arrow table'],
  ])('finds the planted import in %s: %s', (file, text, message) => {
    expect(findingsOf(file, text)).toEqual([message])
  })

  it.each([
    ['kernel/step.ts', "import type { Json } from './json.ts'"],
    ['kernel/step.ts', "export * from './deep/json.ts'"],
    ['store/sqlite.ts', "import { DatabaseSync } from 'node:sqlite'\nimport type { Json } from '../kernel/index.ts'"],
    ['agents/rules.ts', "import type { Edge } from '../kinds/workflow/index.ts'"],
    ['cli/verbs/run.ts', "const { traceOf } = await import('../../history/trace.ts')"],
    ['app/kinds.ts', "import { workflowModule } from '../kinds/workflow/face/module.ts'"],
    ['kernel/run/run.ts', "import type { Board } from '../state/board.ts'"],
    ['serve/http.ts', "import { Reflex } from '../app/reflex.ts'"],
    ['testing/kinds.ts', "import { serve } from '../serve/index.ts'"],
    ['cli/main.ts', "import { Reflex } from '../app/reflex.ts'"],
    ['cli/home.ts', "import { isBelow } from '../tools/paths.ts'"],
    ['protocol/catalogue.ts', "import { faults } from '../models/faults.ts'"],
  ])('lets through %s: %s', (file, text) => {
    expect(findingsOf(file, text)).toEqual([])
  })

  it('leaves no door that nobody uses', () => {
    const src = resolve(import.meta.dirname, '../../src')
    const used = globSync('**/*.ts', { cwd: src }).flatMap((name) => {
      const file = name.replaceAll('\\', '/')
      const targets = importsOf(readFileSync(resolve(src, file), 'utf8')).map(({ target }) => posix.join(posix.dirname(file), target))
      return targets.filter((target) => roomOf(target) !== roomOf(file))
    })
    const doors = Object.entries(DOORS).flatMap(([room, files]) => files.map((file) => `${room}/${file}.ts`))
    expect([...Object.keys(SIDE_DOORS), ...doors].filter((door) => !used.includes(door))).toEqual([])
  })

  it('points at the name that is imported', () => {
    const text = "const a = 1\nimport {\n  b, // why\n  type C,\n} from '../tree/c.ts'\n"
    expect(checkArrows([['kinds/pipeline/a.ts', text]])).toMatchObject([{ file: 'kinds/pipeline/a.ts', line: 5, column: 9 }])
  })

  it('is not misled by text that looks like an import', () => {
    const text = ["// import { a } from '../cli/main.ts'", "const from = 'x'", "const line = `taken from '../cli/main.ts'`"].join('\n')
    expect(importsOf(text)).toEqual([])
  })
})

describe('names of kinds', () => {
  /** What is found in one file, beside the exceptions that are not among the sources. */
  const namedIn = (file: string, text: string): string[] =>
    checkKindNames([[file, text]]).flatMap((finding) => (finding.file === file ? [finding.message] : []))

  it.each([
    ['app/more.ts', "import { x } from '../kinds/pipeline/index.ts'"],
    ['app/more.ts', "import type { X } from '../kinds/pipeline/index.ts'"],
    ['history/more.ts', "if (kind === 'pipeline') return"],
    ['cli/more.ts', 'const name = "pipeline:release"'],
  ])('in %s are found: %s', (file, text) => {
    expect(namedIn(file, text)).toEqual(['the kind pipeline is named outside of kinds'])
  })

  it.each([
    ['app/kinds.ts', "import { x } from '../kinds/pipeline/index.ts'"],
    ['agents/more.ts', "const kind = 'workflow'"],
    ['app/more.ts', "// as 'pipeline' does\nconst text = 'a pipeline fails' /* 'workflow' */"],
  ])('in %s are left alone: %s', (file, text) => {
    expect(namedIn(file, text)).toEqual([])
  })

  it('a file that no longer names a kind is no exception', () => {
    const [file = ''] = Object.keys(EXCEPTIONS)
    expect(namedIn(file, 'const none = 1')).toEqual(['the file names no kind'])
  })
})
