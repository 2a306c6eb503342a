// expects lint/style/noDefaultExport
export default 1;
