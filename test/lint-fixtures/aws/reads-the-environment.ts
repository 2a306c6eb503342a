// expects lint/style/noProcessEnv
export const region = process.env.AWS_REGION;
