/** For those who write a kind, a store or a program: a still clock, and the suites that every kind and store passes. */
export { type KindCase, type KindSubject, kindSuite, type Outcome, type Script, type SubjectProgram } from './kind-suite.ts'
export { type StoreCase, storeSuite, type StoreUnderTest } from './store-suite.ts'
export { type VirtualHost, virtualHost, type VirtualHostOptions } from './virtual-host.ts'
