import type { AnyKindModule, KindBody, LazyKindModule } from '../programs/kind-module.ts'
import type { TypedProgram, ValuesOf } from '../programs/program-types.ts'
import type { RunOptionTable, RunOptionValues } from '../programs/run-options.ts'

/** Kinds in a list. */
export type KindModules = readonly AnyKindModule[]

type OptionsOf<Body extends KindBody> = NonNullable<Parameters<Body['make']>[1]>
type HostOptionsOf<Module extends AnyKindModule> = Module extends LazyKindModule
  ? OptionsOf<Awaited<ReturnType<Module['load']>>>
  : Module extends KindBody
    ? OptionsOf<Module>
    : never
type RunOptionsOf<Module> = Module extends { readonly runOptions?: infer Table }
  ? NonNullable<Table> extends RunOptionTable
    ? RunOptionValues<NonNullable<Table>>
    : never
  : never

/** The options of a host for kinds, by kind name: `{ pipeline: { handlers } }`. */
export type HostOptionsByKind<Modules extends KindModules> = {
  readonly [Module in Modules[number] as Module['name']]?: HostOptionsOf<Module>
}

/** The run options of single kinds, by kind name: `{ pipeline: { resumeFrom } }`. */
export type RunOptionsByKind<Modules extends KindModules> = {
  readonly [Module in Modules[number] as Module['name']]?: RunOptionsOf<Module>
}

/** The values that kinds take as programs, with the types that a value carries. */
export type ProgramValue<Modules extends KindModules, Types> = ValuesOf<Modules[number]> & TypedProgram<Types>
